// Opens a WACZ file with a service worker of @webrecorder/wabac in a browser and prints what a
// page of it shows: see replay.sh. Everything is served from one loopback address; the browser
// has no other network.
import { createServer } from "node:http";
import { spawn } from "node:child_process";
import { open, stat, readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [worker, browser, wacz, url] = process.argv.slice(2);

// The page that runs the replayer: it adds the file as a collection, shows the URL in a frame,
// and reports.
const page = `<!doctype html><meta charset=utf-8><title>replay</title><iframe id=f width=1200 height=800></iframe><script>
const report = (x) => fetch("/report", { method: "POST", body: JSON.stringify(x) });
const wait = (ms) => new Promise((r) => setTimeout(r, ms));
// verification returns what the replayer has found about hashes and signature. Of a packed index
// it compares the blocks after unpacking them with sums of the packed blocks, so these never match.
async function verification() {
  for (const { name } of await indexedDB.databases()) {
    const db = await new Promise((ok, bad) => { const q = indexedDB.open(name); q.onsuccess = () => ok(q.result); q.onerror = bad; });
    if (!db.objectStoreNames.contains("verification")) { db.close(); continue; }
    return await new Promise((ok) => { db.transaction("verification").objectStore("verification").getAll().onsuccess = (e) => ok(e.target.result); });
  }
  return [];
}
(async () => {
  await navigator.serviceWorker.register("/sw.js?useHashCheck=1", { scope: "/" });
  await navigator.serviceWorker.ready;
  while (!navigator.serviceWorker.controller) { location.reload(); await wait(2000); }
  const added = new Promise((ok, bad) => navigator.serviceWorker.addEventListener("message", (e) => {
    if (e.data.msg_type === "collAdded") ok(e.data);
    if (e.data.msg_type === "collProgress" && e.data.error) bad(new Error(e.data.error));
  }));
  navigator.serviceWorker.controller.postMessage({ msg_type: "addColl", name: "c", file: { sourceUrl: location.origin + "/file.wacz" } });
  await added;
  const frame = document.getElementById("f");
  const loaded = new Promise((r) => (frame.onload = r));
  frame.src = "/w/c/mp_/" + ${JSON.stringify(url)};
  await loaded;
  await wait(500);
  const d = frame.contentDocument;
  const images = [...d.images], sheets = [...d.querySelectorAll("link[rel~=stylesheet]")];
  const checks = await verification();
  const styled = (s) => { try { return s.sheet?.cssRules.length > 0 } catch { return false } }; // one that is not in the archive
  await report({
    title: d.title, words: (d.body?.innerText || "").split(/\\s+/).filter(Boolean).length,
    images: images.length, images_loaded: images.filter((i) => i.complete && i.naturalWidth > 0).length,
    sheets: sheets.length, sheets_loaded: sheets.filter(styled).length,
    pages: (await (await fetch("/w/api/c/c/pages")).json()).pages?.length,
    verified: checks.filter((x) => x.matched === true).map((x) => x.id.replace(/^default/, "")),
  });
})().catch((e) => report({ error: String(e.stack || e) }));
</script>`;

const server = createServer(async (q, a) => {
  const path = new URL(q.url, "http://x").pathname;
  if (path === "/report") {
    let body = "";
    for await (const part of q) body += part;
    a.end();
    finish(JSON.parse(body));
  } else if (path === "/") {
    a.setHeader("Content-Type", "text/html");
    a.end(page);
  } else if (path === "/sw.js") {
    a.setHeader("Content-Type", "text/javascript");
    a.end(await readFile(worker));
  } else if (path === "/file.wacz") {
    await sendFile(q, a);
  } else {
    a.statusCode = 404;
    a.end();
  }
});

// sendFile sends the WACZ file, or a range of it.
async function sendFile(q, a) {
  const size = (await stat(wacz)).size;
  const m = /^bytes=(\d*)-(\d*)$/.exec(q.headers.range || "");
  let from = 0, to = size - 1;
  a.setHeader("Accept-Ranges", "bytes");
  if (m) {
    if (m[1] === "") from = Math.max(0, size - Number(m[2]));
    else [from, to] = [Number(m[1]), m[2] === "" ? size - 1 : Math.min(Number(m[2]), size - 1)];
    a.statusCode = 206;
    a.setHeader("Content-Range", `bytes ${from}-${to}/${size}`);
  }
  a.setHeader("Content-Length", to - from + 1);
  if (q.method === "HEAD") return a.end();
  const f = await open(wacz);
  f.createReadStream({ start: from, end: to }).pipe(a);
}

let child, profile;
async function finish(x) {
  console.log(JSON.stringify(x));
  child.kill("SIGKILL");
  server.closeAllConnections();
  server.close();
  await new Promise((r) => setTimeout(r, 200));
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  process.exit(x.error || !x.words ? 1 : 0);
}

server.listen(0, "127.0.0.1", async () => {
  profile = await mkdtemp(join(tmpdir(), "winnow-replay-"));
  const home = `http://127.0.0.1:${server.address().port}/`;
  child = spawn(browser, ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", `--user-data-dir=${profile}`,
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", home], { stdio: "ignore" });
  child.on("error", (e) => finish({ error: String(e) }));
  setTimeout(() => finish({ error: "nothing was reported within 60 s" }), 60000);
});
