"use strict";
// What the scripts of all pages share. Texts of the model are only ever set as text, never parsed as HTML.
const cmc = (() => {
  const byId = (id) => document.getElementById(id);
  const LETTER = 7.1;  // pixels of a letter of a box
  const HUES = [212, 268, 22, 168, 330, 46, 190, 296, 96, 240, 4, 140];
  const isDark = () => document.documentElement.dataset.theme === "dark";
  const hue = (pid) => (pid === 255 ? "#8a94a6" : `hsl(${HUES[pid % HUES.length]} 62% ${isDark() ? 64 : 48}%)`);
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  // Names differ at their ends, "station[0]" and "station[1]", and so do statements, "q ! msg": the middle goes.
  function cutInMiddle(text, width) {
    const most = Math.max(5, Math.floor(width / LETTER));
    if (text.length <= most) return text;
    const behind = Math.ceil((most - 1) / 2);
    return text.slice(0, most - 1 - behind) + "\u2026" + text.slice(text.length - behind);
  }

  const WORDS = new Set(("active assert atomic bit bool break byte chan choose d_step do D_proctype else empty enabled " +
    "eval exists false fi for full goto hidden if in init inline int len ltl mtype nempty never nfull notrace np_ od of " +
    "pc_value pid printf printm priority proctype provided run select short show skip STDIN timeout trace true typedef " +
    "unless unsigned xr xs").split(" "));
  const TOKEN = /\/\*.*?(?:\*\/|$)|\/\/.*|"(?:\\.|[^"\\])*"|[A-Za-z_]\w*|[^A-Za-z_"/]+|./g;

  function linesOf(source) {
    if (source.lines) return source.lines;
    let comment = false;
    source.lines = source.text.split("\n").map((text) => {
      const line = { text, comment };
      const last = Math.max(text.lastIndexOf("*/"), -1), open = text.lastIndexOf("/*");
      comment = comment ? last < 0 || open > last : open > last && !/\/\/.*\/\*/.test(text);
      return line;
    });
    return source.lines;
  }

  function addTokens(into, { text, comment }) {
    let rest = text;
    if (comment) {
      const end = text.indexOf("*/");
      into.append(make("span", "note", end < 0 ? text : text.slice(0, end + 2)));
      rest = end < 0 ? "" : text.slice(end + 2);
    }
    for (const [token] of rest.matchAll(TOKEN)) {
      const kind = /^\/[/*]/.test(token) ? "note" : token[0] === '"' ? "text" : WORDS.has(token) ? "word" : "";
      into.append(kind ? make("span", kind, token) : token);
    }
  }

  function keepTheme(name) {
    document.documentElement.dataset.theme = name;
    try { localStorage.setItem("cmc-theme", name); } catch { /* not allowed for this page */ }
  }

  function firstTheme() {
    let kept = null;
    try { kept = localStorage.getItem("cmc-theme"); } catch { /* not allowed for this page */ }
    return kept || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  }

  return { byId, hue, isDark, make, cutInMiddle, linesOf, addTokens, firstTheme, keepTheme, LETTER };
})();
