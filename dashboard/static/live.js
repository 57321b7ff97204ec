// Moves the numbers of a page and draws its curves. The page works without it.
(function () {
	"use strict";
	var source = document.body.dataset.live;
	if (!source || !window.EventSource) return;

	var colours = ["#2f81d6", "#e0701a", "#1f9d6b", "#c4559a", "#c79a00", "#7a68d8", "#d04848", "#7f8a94", "#2aa5a0", "#a0622d", "#5b8c2a", "#b04fd0"];
	var dark = window.matchMedia("(prefers-color-scheme: dark)");
	var curves = [], rows = [], width = 1, charts = [];

	// setText changes an element if there is one, and lets it light up.
	function setText(id, text) {
		if (id.charAt(0) === "@") {
			var link = document.getElementById(id.slice(1));
			if (link && text.charAt(0) === "/") link.setAttribute("href", text);
			return;
		}
		if (id.charAt(0) === "." || id.charAt(0) === "=") {
			var marked = document.getElementById(id.slice(1));
			if (marked && id.charAt(0) === ".") marked.className = text;
			else if (marked) marked.value = Number(text);
			return;
		}
		var el = document.getElementById(id);
		if (!el || el.textContent === text) return;
		el.textContent = text;
		if (id.indexOf("v-") === 0) {
			el.classList.add("moved", "now");
			setTimeout(function () { el.classList.remove("now"); }, 50);
		}
	}

	function duration(s) {
		if (s < 120) return Math.round(s) + "s";
		if (s < 7200) return (s % 60 ? (s / 60).toFixed(1) : s / 60) + "m";
		if (s < 172800) return (s / 3600).toFixed(1) + "h";
		return (s / 86400).toFixed(1) + "d";
	}

	function short(v) {
		if (v === null || v === undefined) return "";
		var a = Math.abs(v);
		if (a >= 1e6) return (v / 1e6).toFixed(a >= 1e7 ? 0 : 1) + "M";
		if (a >= 1e4) return (v / 1e3).toFixed(0) + "k";
		return a >= 100 || v === Math.round(v) ? v.toFixed(0) : v.toFixed(1);
	}

	// used returns the curves of a chart that are not 0 everywhere; the first is always there.
	function used(chart) {
		var list = [];
		curves.forEach(function (c, i) {
			if (c.chart !== chart) return;
			var any = rows.some(function (r) { return r[i] !== null && r[i] !== 0; });
			if (any || list.length === 0 && chart !== "waits") list.push(i);
		});
		return list;
	}

	function data(list) {
		var out = [rows.map(function (_, i) { return (i + 0.5) * width; })];
		list.forEach(function (c) { out.push(rows.map(function (r) { return r[c]; })); });
		return out;
	}

	function options(list, figure) {
		var ink = dark.matches ? "#9aa4b0" : "#5a636d", grid = dark.matches ? "#2e333b" : "#e6e8eb";
		var axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font: "12px system-ui, sans-serif" };
		return {
			width: Math.max(200, figure.clientWidth - 20), height: 230,
			scales: { x: { time: false }, y: { range: function (u, lo, hi) { return [0, hi > 0 ? hi * 1.05 : 1]; } } },
			cursor: { drag: { x: true, y: false } },
			axes: [Object.assign({ values: function (u, v) { return v.map(duration); } }, axis), Object.assign({ size: 48, values: function (u, v) { return v.map(short); } }, axis)],
			series: [{ label: "after", value: function (u, v) { return v === null || v === undefined ? "" : duration(v); } }].concat(list.map(function (c, i) {
				return { label: curves[c].name, stroke: colours[i % colours.length], width: 1.75, points: { show: false }, spanGaps: true, value: function (u, v) { return short(v); } };
			}))
		};
	}

	// drawChart draws a chart, anew if its curves are others.
	function drawChart(figure) {
		var list = used(figure.dataset.chart), was = charts.find(function (c) { return c.figure === figure; });
		if (was && was.list.join() === list.join()) {
			was.plot.setData(data(list));
			return;
		}
		if (!list.length || rows.length < 2) return;
		if (was) {
			was.plot.destroy();
			charts.splice(charts.indexOf(was), 1);
		}
		figure.querySelectorAll("img").forEach(function (img) { img.remove(); });
		var place = figure.querySelector(".place") || figure.appendChild(document.createElement("div"));
		place.className = "place";
		place.setAttribute("aria-hidden", "true");
		charts.push({ figure: figure, list: list, plot: new uPlot(options(list, figure), data(list), place) });
	}

	function drawAll() {
		if (window.uPlot) document.querySelectorAll("figure[data-chart]").forEach(drawChart);
	}

	function takeCourse(c) {
		if (c.curves) curves = c.curves;
		width = c.width;
		rows.length = Math.min(rows.length, c.from);
		rows = rows.concat(c.rows);
		drawAll();
	}

	function again() {
		charts.forEach(function (c) { c.plot.destroy(); });
		charts = [];
		drawAll();
	}
	dark.addEventListener("change", again);
	var timer;
	window.addEventListener("resize", function () { clearTimeout(timer); timer = setTimeout(again, 150); });

	// A page that nobody sees gets nothing: browsers allow few connections to a server.
	var events = null;
	function listen() {
		if (events || document.hidden) return;
		events = new EventSource(source);
		events.onmessage = function (e) {
			var m = JSON.parse(e.data);
			if (m.reload) {
				stop();
				location.reload();
				return;
			}
			for (var id in m.text || {}) setText(id, m.text[id]);
			if (m.course) takeCourse(m.course);
		};
	}
	function stop() {
		if (events) events.close();
		events = null;
	}
	document.addEventListener("visibilitychange", function () { if (document.hidden) stop(); else listen(); });
	window.addEventListener("pagehide", stop);
	window.addEventListener("pageshow", listen);
	listen();
})();
