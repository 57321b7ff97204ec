// Package language has the words of the languages in which the pages of a synthetic web are
// written.
package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
)

// The charsets in which sites are written, each with a language of its own. Their bytes
// below 128 mean the same as in ASCII wherever HTML looks at them, so only words have
// to be encoded, once.
const (
	UTF8 = iota
	Latin1
	Cyrillic
	Japanese
	Charsets
)

// A Vocabulary holds the words of a language, encoded; frequent ones first. Pages are
// written in clauses of three to six words, drawn once: that is some ten times as fast as
// word by word, and any two pages still have few clauses in common.
type Vocabulary struct {
	Lang     string
	Plain    []string
	Capital  []string // with an upper-case first letter
	Gap, End string   // between words; at the end of a sentence
	Decoded  []string // Plain in UTF-8
	Clauses  []string
	Openings []string // clauses that begin with an upper-case letter
	Longest  int      // bytes of the longest clause
}

// Clauses is their number.
const Clauses = 4096

// stream is that of the text of pages in package answer.
const stream = 92

// All returns the vocabularies by charset: all of them, or that of UTF-8 only.
func All(all bool) (v [Charsets]Vocabulary) {
	v[UTF8] = newVocabulary("en", English, " ", ". ", nil)
	if !all {
		return v
	}
	v[Latin1] = newVocabulary("fr", french, " ", ". ", charmap.ISO8859_1.NewEncoder())
	v[Cyrillic] = newVocabulary("ru", russian, " ", ". ", charmap.Windows1251.NewEncoder())
	v[Japanese] = newVocabulary("ja", kana, "", "。", japanese.ShiftJIS.NewEncoder())
	return v
}

func newVocabulary(lang, words, gap, end string, enc *encoding.Encoder) Vocabulary {
	encoded := func(text string) string {
		if enc == nil {
			return text
		}
		b, err := enc.String(text)
		if err != nil {
			panic("fakeweb: a word of its own vocabulary: " + err.Error())
		}
		return b
	}
	v := Vocabulary{Lang: lang, Gap: gap, End: encoded(end), Decoded: strings.Fields(words)}
	for _, w := range v.Decoded {
		v.Plain = append(v.Plain, encoded(w))
		v.Capital = append(v.Capital, encoded(Upper(w)))
	}
	v.compose()
	return v
}

// compose draws the clauses.
func (v *Vocabulary) compose() {
	for i := range uint64(Clauses) {
		h := draw.Hash(draw.Golden, stream, i)
		first := v.Word(h)
		var rest []byte
		for k := range 2 + h>>62 {
			rest = append(append(rest, v.Gap...), v.Plain[v.Word(draw.Mix(h+k))]...)
		}
		v.Clauses = append(v.Clauses, v.Plain[first]+string(rest))
		v.Openings = append(v.Openings, v.Capital[first]+string(rest))
		v.Longest = max(v.Longest, len(v.Clauses[i]), len(v.Openings[i]))
	}
}

// Upper makes the first letter of a word upper case.
func Upper(w string) string {
	first, size := utf8.DecodeRuneInString(w)
	return string(unicode.ToUpper(first)) + w[size:]
}

// Word returns the place of a word by 16 random bits: the product of two uniform numbers, so
// that the first words come most often.
func (v *Vocabulary) Word(h uint64) int {
	return int(h&255*(h>>8&255)*uint64(len(v.Plain))) >> 16
}

// English has the words of UTF-8.
const English = `the of and to in is that for it with as was on are by this be from or have an they which one you
all were when we there can more if no out so said what about time up people other into than its only some could new
then them two first may like over work also after year most world where way many life great long small house part water
number place point light letter night morning river mountain garden window bridge market music history science paper
page story question answer member country island village winter summer silver golden forest harbour engine ladder
lantern mirror needle orchard pepper quarry ribbon saddle thistle umbrella velvet walnut yarrow zephyr archive crawler
frontier importance graph library method network order policy queue record schedule table union value weather`

const french = `de la le et les des en un du une que est pour qui dans par plus pas au sur ne se ce il sont avec été
ou mais comme tout nous sa fait être aussi très même après où année à côté déjà première dernière siècle façon français
république étude théâtre musée fenêtre forêt hôtel hôpital château île maître âge naïf noël garçon leçon reçu façade
élève école été espérance énergie événement différent général présent préféré général rivière lumière manière matière
système problème poème père mère frère zèle règle siège piège près mûr goût août coûter dû sûr bientôt plutôt tôt bûche
crème brûlée pêche fête tête bête rêve grève chèvre lièvre lèvre`

const russian = `и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой от такой для
ты мочь год же один день человек время дело жизнь рука самый первый очень большой новый вода город дом слово место лицо
друг дорога утро вечер ночь река гора лес поле море небо земля солнце луна звезда ветер снег дождь весна лето осень
зима окно дверь стол книга письмо вопрос ответ память мысль правда история наука школа работа язык народ страна деревня
остров мост рынок музыка песня голос свет тень огонь камень железо золото серебро хлеб молоко соль яблоко дерево птица
рыба лошадь собака кошка страница ссылка порядок очередь запись список объект подъезд`

const kana = `の に は を た が で て と し れ さ ある いる する から など こと ため それ また という この その 日本 年 月
日 人 者 中 大 国 本 東京 時間 今日 明日 世界 生活 社会 学校 先生 学生 会社 仕事 電話 電車 自動車 新聞 雑誌 本屋 図書館
公園 病院 銀行 郵便局 駅 道 橋 川 山 海 空 森 花 木 鳥 魚 犬 猫 水 火 風 雨 雪 春 夏 秋 冬 朝 昼 夜 右 左 上 下 前 後
カメラ テレビ ラジオ コンピュータ ページ リンク サイト ニュース データ システム`
