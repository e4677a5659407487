"use strict";
// The page of a trace. The data holds a state and, for each step, what it changed (checker/trace/views/page_data.cc); rows
// are made when they are scrolled into view. Texts of the model are only ever set as text, never parsed as HTML.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { byId, hue, isDark, make, cutInMiddle, linesOf, addTokens, firstTheme, keepTheme, LETTER } = cmc;
  const ROW = 28, LEFT = 60, EDGE = 6, EVERY = 128, OVERSCAN = 12;
  const CHANGES = 280;  // pixels for what a step changes
  const textOf = (step) => data.texts[step.t];
  const fileName = (index) => (data.sources[index] ? data.sources[index].name.replace(/^.*\//, "") : "");

  let trace, steps, lanes, laneOf, arrows, checkpoints, haystacks, laneWidth, changeLeft, width;
  let chosen = -1, matches = [], shown = new Map();

  // --- States ---------------------------------------------------------------------------------------------------------
  const copyState = (state) => ({
    g: state.g.map((v) => v.slice()),
    c: state.c.map((c) => [c[0], c[1], c[2].slice()]),
    p: state.p.map((p) => [p[0], p[1], p[2], p[3].map((v) => v.slice())]),
  });

  function apply(step, state) {
    for (const [pid, index, value] of step.v || []) {
      const values = pid < 0 ? state.g : state.p[pid][3];
      if (values[index]) values[index][1] = value;
    }
    for (const [index, at, removed, added] of step.c || []) state.c[index][2].splice(at, removed, ...added);
    if (step.e) {
      const gone = state.p.splice(state.p.length - step.e, step.e).map((p) => p[0] + ".");
      state.c = state.c.filter((c) => !gone.some((prefix) => c[0].startsWith(prefix)));
    }
    for (const process of step.s || []) state.p.push(copyState({ g: [], c: [], p: [process] }).p[0]);
    for (const channel of step.o || []) state.c.push([channel[0], channel[1], channel[2].slice()]);
    for (const [pid, file, line] of step.w || []) {
      if (state.p[pid]) [state.p[pid][1], state.p[pid][2]] = [file, line];
    }
  }

  // The state behind step `index`; -1: before the first one.
  function stateBehind(index) {
    let known = Math.floor((index + 1) / EVERY);
    while (!checkpoints[known]) --known;
    const state = copyState(checkpoints[known]);
    for (let i = known * EVERY; i <= index; ++i) {
      apply(steps[i], state);
      if ((i + 1) % EVERY === 0 && !checkpoints[(i + 1) / EVERY]) checkpoints[(i + 1) / EVERY] = copyState(state);
    }
    return state;
  }

  // --- Lanes ----------------------------------------------------------------------------------------------------------
  function findLanes() {
    const names = new Map();
    const add = (pid, label) => {
      if (!names.has(pid)) names.set(pid, []);
      if (!names.get(pid).includes(label)) names.get(pid).push(label);
    };
    trace.initial.p.forEach((p, pid) => add(pid, p[0]));
    for (const step of steps) {
      if (step.p === 255) add(255, step.x || "claim");
      for (const [i, p] of (step.s || []).entries()) add(step.b + i, p[0]);
    }
    lanes = [...names].sort((a, b) => a[0] - b[0]).map(([pid, labels]) => ({ pid, label: labels.join(" / ") }));
    laneOf = new Map(lanes.map((lane, index) => [lane.pid, index]));
  }

  // From the step that sends a message to the one that receives it, by index.
  function findArrows() {
    const byNumber = new Map();
    steps.forEach((step, index) => step.n && byNumber.set(step.n, index));
    arrows = [];
    steps.forEach((step, index) => {
      if (step.q) arrows.push({ from: index, to: index, a: step.p, b: step.q[0] });
      const sent = step.m && step.m[0] === 1 ? byNumber.get(step.m[3]) : undefined;
      if (sent !== undefined) arrows.push({ from: sent, to: index, a: steps[sent].p, b: step.p });
    });
  }

  const laneLeft = (pid) => LEFT + laneOf.get(pid) * laneWidth;
  const rowTop = (index) => (index + 1) * ROW;

  // As wide as the longest text of a lane, as far as the window has room.
  function widthOfLanes() {
    const room = byId("lanes").clientWidth - LEFT - CHANGES;
    let longest = 0;
    for (const lane of lanes) longest = Math.max(longest, lane.label.length + 2);
    for (const step of steps) longest = Math.max(longest, textOf(step).length, step.q ? data.texts[step.q[3]].length : 0);
    const wanted = Math.ceil(longest * LETTER) + 2 * EDGE + 22;
    return Math.max(150, Math.min(wanted, Math.floor(room / Math.max(1, lanes.length))));
  }

  function layOut() {
    laneWidth = widthOfLanes();
    changeLeft = LEFT + lanes.length * laneWidth + 10;
    width = Math.max(changeLeft + 270, byId("lanes").clientWidth);
    const heads = byId("heads"), rows = byId("rows");
    heads.replaceChildren();
    heads.style.width = rows.style.width = width + "px";
    rows.style.height = rowTop(steps.length) + 60 + "px";
    for (const old of rows.querySelectorAll(".spine")) old.remove();
    for (const lane of lanes) {
      const head = make("div", "head", cutInMiddle(lane.label, laneWidth - 2 * EDGE - 15));
      head.style.cssText = `left:${laneLeft(lane.pid)}px;width:${laneWidth}px;--hue:${hue(lane.pid)}`;
      head.title = lane.label;
      heads.append(head);
      const spine = make("div", "spine");
      spine.style.cssText = `left:${laneLeft(lane.pid) + laneWidth / 2}px;height:${rowTop(steps.length)}px;--hue:${hue(lane.pid)}`;
      rows.prepend(spine);
    }
    for (const row of shown.values()) row.remove();
    shown.clear();
    drawRows();
  }

  function changesOf(step, index) {
    const parts = [];
    if (step.m) parts.push(["\u2192 ", "\u2190 ", "\u00b7 ", "\u21c4 "][step.m[0]] + step.m[1] + " [" + step.m[2] + "]");
    for (const [pid, at, value] of step.v || []) parts.push(nameOf(pid, at, index) + " = " + value);
    for (const p of step.s || []) parts.push(p[0] + " starts");
    if (step.e) parts.push("ends");
    if (step.to) parts.push("timeout");
    return parts.concat(step.at || []).join(",  ");
  }

  const namesAt = new Map();
  // Names of locals: those of the process that has this pid at the step.
  function nameOf(pid, at, index) {
    if (pid < 0) return trace.initial.g[at][0];
    let process = trace.initial.p[pid];
    for (const [start, p] of namesAt.get(pid) || []) if (start < index) process = p;
    return process ? process[0] + "." + process[3][at][0] : "?";
  }

  function makeBox(pid, text, name) {
    const box = make("div", "box " + name, cutInMiddle(text, laneWidth - 2 * EDGE - 18));
    box.style.cssText = `left:${laneLeft(pid) + EDGE}px;width:${laneWidth - 2 * EDGE}px;--hue:${hue(pid)}`;
    box.title = text;
    return box;
  }

  function makeRow(index) {
    const row = make("div", "row");
    row.style.cssText = `top:${rowTop(index)}px;width:${width}px`;
    row.onclick = () => choose(index);
    if (index < 0) {
      row.append(make("div", "number", trace.left || "start"));
      row.append(makeChange(trace.left ? `${trace.left} steps are left out` : ""));
    } else {
      const step = steps[index];
      row.append(make("div", "number", step.n || ""));
      row.append(makeBox(step.p, textOf(step), step.lo ? "actor quiet" : "actor"));
      if (step.q) row.append(makeBox(step.q[0], data.texts[step.q[3]], ""));
      row.append(makeChange(changesOf(step, index)));
      row.classList.toggle("error", Boolean(step.er));
      row.classList.toggle("loop", Boolean(step.lp));
      row.classList.toggle("match", matches.includes(index));
    }
    row.classList.toggle("chosen", index === chosen);
    return row;
  }

  function makeChange(text) {
    const change = make("div", "change", text);
    change.style.cssText = `left:${changeLeft}px;width:${width - changeLeft - 6}px`;
    change.title = text;
    return change;
  }

  function visibleRange() {
    const view = byId("lanes");
    const first = Math.floor(view.scrollTop / ROW) - OVERSCAN;
    const last = Math.ceil((view.scrollTop + view.clientHeight) / ROW) + OVERSCAN;
    return [Math.max(-1, first), Math.min(steps.length - 1, last)];
  }

  function drawRows() {
    const [first, last] = visibleRange();
    for (const [index, row] of shown) {
      if (index >= first && index <= last) continue;
      row.remove();
      shown.delete(index);
    }
    for (let index = first; index <= last; ++index) {
      if (shown.has(index)) continue;
      const row = makeRow(index);
      shown.set(index, row);
      byId("rows").append(row);
    }
    drawArrows(first, last);
  }

  function drawArrows(first, last) {
    const svg = byId("arrows");
    const shapes = [];
    const shape = (tag, attributes) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      shapes.push(element);
    };
    for (const { from, to, a, b } of arrows) {
      if (to < first || from > last || !laneOf.has(a) || !laneOf.has(b)) continue;
      const right = laneOf.get(b) > laneOf.get(a), same = a === b;
      const y1 = rowTop(from) + ROW / 2, y2 = rowTop(to) + ROW / 2;
      const x1 = laneLeft(a) + (right || same ? laneWidth - EDGE : EDGE);
      const x2 = laneLeft(b) + (same ? laneWidth - EDGE : right ? EDGE : laneWidth - EDGE);
      const way = same || right ? 1 : -1, tip = same ? 1 : -way;
      const strong = from === chosen || to === chosen;
      const far = Math.min(60, 14 + Math.abs(y2 - y1) / 6);
      const path = from === to ? `M${x1} ${y1}H${x2}`
        : `M${x1} ${y1}C${x1 + way * far} ${y1} ${x2 + tip * far} ${y2} ${x2 + tip * 6} ${y2}`;
      shape("path", { d: path, fill: "none", stroke: hue(a), "stroke-width": strong ? 2.4 : 1.4,
        "stroke-opacity": strong ? 1 : to - from > 40 ? 0.3 : 0.65 });
      shape("path", { d: `M${x2} ${y2}l${tip * 7} -4v8z`, fill: hue(a) });
    }
    svg.replaceChildren(...shapes);
    svg.setAttribute("width", width);
    svg.setAttribute("height", 10);
    byId("rows").append(svg);
  }

  // --- Source ---------------------------------------------------------------------------------------------------------
  let sourceShown = [-1, 0, 0];

  function drawSource(step, state) {
    const view = byId("source");
    const file = step ? step.f : state.p.length ? state.p[0][1] : 0;
    const source = data.sources[file];
    if (!source) {
      view.replaceChildren(make("h2", "", "no source"));
      sourceShown = [-1, 0, 0];
      return;
    }
    const lines = linesOf(source), current = step ? step.l : state.p.length ? state.p[0][2] : 1;
    const [known, from, to] = sourceShown;
    const inside = known === file && current > from && current <= to;
    if (!inside) {
      const first = lines.length <= 1500 ? 0 : Math.max(0, current - 500);
      const last = lines.length <= 1500 ? lines.length : Math.min(lines.length, current + 500);
      view.replaceChildren(make("h2", "", source.name));
      for (let i = first; i < last; ++i) {
        const line = make("div", "code");
        line.append(make("span", "where"), make("span", "at", i + 1));
        const content = make("span");
        addTokens(content, lines[i]);
        line.append(content);
        view.append(line);
      }
      sourceShown = [file, first, last];
    }
    const line = (number) => view.children[number - sourceShown[1]];
    for (const marked of view.querySelectorAll(".now, .met")) marked.classList.remove("now", "met");
    for (const dots of view.querySelectorAll(".where:not(:empty)")) dots.replaceChildren();
    state.p.forEach((process, pid) => {
      const at = process[1] === file && process[2] > 0 ? line(process[2]) : undefined;
      if (!at || !at.firstChild) return;
      const dot = make("i");
      dot.style.setProperty("--hue", hue(pid));
      dot.title = process[0] + " is here";
      at.firstChild.append(dot);
    });
    if (step && line(step.l)) {
      line(step.l).classList.add("now");
      line(step.l).style.setProperty("--hue", hue(step.p));
    }
    if (step && step.q && step.q[1] === file && line(step.q[2])) {
      line(step.q[2]).classList.add("met");
      line(step.q[2]).style.setProperty("--hue", hue(step.q[0]));
    }
    const target = line(current);
    if (target) {
      const top = target.offsetTop - view.offsetTop;
      const hidden = top < view.scrollTop + 34 || top > view.scrollTop + view.clientHeight - 40;
      if (hidden || !inside) view.scrollTop = top - view.clientHeight / 2;
    }
  }

  // --- State ----------------------------------------------------------------------------------------------------------
  function makeValue(name, content, old, whoChanged) {
    const row = make("div", "value" + (old !== undefined ? " changed" : "") + (content === "0" ? " zero" : ""));
    row.append(make("b", "", name));
    const value = make("span");
    if (typeof old === "string") value.append(make("del", "", old));
    if (Array.isArray(content)) {
      if (content.length === 0) row.classList.add("zero");
      value.append(...(content.length ? content.map((message) => make("em", "", message)) : ["empty"]));
    } else {
      value.append(content);
    }
    row.append(value);
    row.title = "go to the step that changed it last";
    row.onclick = () => goToChange(whoChanged);
    return row;
  }

  function goToChange(isIt) {
    for (let i = chosen - (chosen >= 0 && isIt(steps[chosen]) ? 1 : 0); i >= 0; --i) if (isIt(steps[i])) return choose(i);
  }

  function drawState(step, index, state) {
    const view = byId("state");
    const before = step ? stateBehind(index - 1) : state;
    const parts = [];
    const variableChange = (pid, at) => (each) => (each.v || []).some((v) => v[0] === pid && v[1] === at);
    const changed = (pid, at) => step && (step.v || []).some((v) => v[0] === pid && v[1] === at);
    const addValues = (values, pid, old) => {
      values.forEach(([name, value], at) => {
        const before = changed(pid, at) ? String((old[at] || ["", ""])[1]) : undefined;
        // A channel variable that still has its own channel says nothing.
        const own = value === name || (pid >= 0 && value === `${state.p[pid][0]}.${name}`);
        if (!own || before !== undefined) parts.push(makeValue(name, value, before, variableChange(pid, at)));
      });
    };
    for (const text of (step && step.er) || []) parts.push(make("p", "said bad", text));
    for (const text of (step && step.no) || []) parts.push(make("p", "said", text));
    if (step && step.pr !== undefined) parts.push(make("p", "said", step.pr));
    if (state.g.length) parts.push(make("h2", "", "globals"));
    addValues(state.g, -1, before.g);
    if (state.c.length) parts.push(make("h2", "", "channels"));
    state.c.forEach(([name, room, messages], at) => {
      if (room === 0) return;
      const change = step && (step.c || []).some((c) => c[0] === at);
      parts.push(makeValue(`${name} (${messages.length}/${room})`, messages, change ? true : undefined,
        (each) => (each.c || []).some((c) => c[0] === at)));
    });
    state.p.forEach((process, pid) => {
      const head = make("h2", "process");
      head.style.setProperty("--hue", hue(pid));
      head.append(make("i"), process[0]);
      const place = make("span", "place", process[2] ? `${fileName(process[1])}:${process[2]}` : "");
      head.append(place);
      parts.push(head);
      addValues(process[3], pid, before.p[pid] && before.p[pid][0] === process[0] ? before.p[pid][3] : []);
    });
    const top = view.scrollTop;
    view.replaceChildren(...parts);
    view.scrollTop = top;
    const first = view.querySelector(".changed");
    if (!first) return;
    const at = first.offsetTop - view.offsetTop;
    if (at < top + 30 || at > top + view.clientHeight - 30) view.scrollTop = at - view.clientHeight / 3;
  }

  // --- Choosing -------------------------------------------------------------------------------------------------------
  function choose(index) {
    const old = chosen;
    chosen = Math.max(-1, Math.min(steps.length - 1, index));
    for (const each of [old, chosen]) if (shown.has(each)) shown.get(each).classList.toggle("chosen", each === chosen);
    const view = byId("lanes"), top = rowTop(chosen), head = byId("heads").offsetHeight;
    if (top < view.scrollTop + ROW) view.scrollTop = Math.max(0, top - 3 * ROW);
    if (top + 2 * ROW > view.scrollTop + view.clientHeight - head) view.scrollTop = top - view.clientHeight + head + 4 * ROW;
    const step = chosen < 0 ? undefined : steps[chosen];
    if (step) {
      const left = laneLeft(step.p);
      if (left < view.scrollLeft) view.scrollLeft = left - LEFT;
      if (left + laneWidth > view.scrollLeft + view.clientWidth) view.scrollLeft = left + laneWidth - view.clientWidth + 20;
    }
    const state = stateBehind(chosen);
    drawSource(step, state);
    drawState(step, chosen, state);
    const last = trace.left + steps.filter((each) => each.n).length;
    byId("position").textContent = `${step ? step.n || "claim" : "start"} of ${last}`;
    drawRows();
    try {
      history.replaceState(null, "", `#${data.traces.length > 1 ? `trace=${data.traces.indexOf(trace)}&` : ""}step=${chosen + 1}`);
    } catch { /* a page without an address */ }
  }

  function sameProcess(way) {
    const pid = chosen < 0 ? (steps[0] || {}).p : steps[chosen].p;
    for (let i = chosen + way; i >= 0 && i < steps.length; i += way) {
      if (steps[i].p === pid || (steps[i].q && steps[i].q[0] === pid)) return choose(i);
    }
  }

  function otherEnd() {
    const arrow = arrows.find((each) => each.from !== each.to && (each.from === chosen || each.to === chosen));
    if (arrow) choose(arrow.from === chosen ? arrow.to : arrow.from);
  }

  // --- Search ---------------------------------------------------------------------------------------------------------
  function search() {
    const wanted = byId("search").value.trim().toLowerCase();
    haystacks ||= steps.map((step, index) =>
      [step.n, lanes[laneOf.get(step.p)].label, textOf(step), step.q ? data.texts[step.q[3]] : "", changesOf(step, index),
        (step.er || []).join(" "), step.pr || "", `${fileName(step.f)}:${step.l}`].join(" \n").toLowerCase());
    matches = wanted === "" ? [] : haystacks.flatMap((text, index) => (text.includes(wanted) ? [index] : []));
    byId("matches").textContent = wanted === "" ? "" : matches.length ? `${matches.length} found` : "none";
    for (const [index, row] of shown) row.classList.toggle("match", matches.includes(index));
  }

  function goToMatch(way) {
    if (matches.length === 0) return;
    const next = way > 0 ? matches.find((index) => index > chosen) : matches.findLast((index) => index < chosen);
    choose(next !== undefined ? next : way > 0 ? matches[0] : matches[matches.length - 1]);
  }

  // --- The whole ------------------------------------------------------------------------------------------------------
  function drawWhy() {
    const why = byId("why");
    why.replaceChildren();
    const lines = trace.why.concat(trace.outcome ? [trace.outcome] : []);
    if (lines.length === 0) return;
    why.append(make("h2", "", "why"));
    for (const text of lines) {
      const line = make("p");
      for (const part of text.split(/(steps? \d+)/)) {
        const number = /^steps? (\d+)$/.exec(part);
        const index = number ? steps.findIndex((step) => step.n === Number(number[1])) : -1;
        if (index < 0) {
          line.append(part);
          continue;
        }
        const link = make("a", "", part);
        link.onclick = () => choose(index);
        line.append(link);
      }
      why.append(line);
    }
  }

  function open(number) {
    trace = data.traces[number];
    steps = trace.steps;
    checkpoints = [trace.initial];
    haystacks = undefined;
    matches = [];
    namesAt.clear();
    steps.forEach((step, index) => (step.s || []).forEach((p, i) => {
      const pid = step.b + i;
      if (!namesAt.has(pid)) namesAt.set(pid, []);
      namesAt.get(pid).push([index - 1, p]);
    }));
    byId("cause").textContent = trace.title;
    byId("cause").classList.toggle("bad", trace.bad);
    byId("about").textContent = `${data.file}${trace.property ? ` \u00b7 ${trace.property}` : ""} \u00b7 cmc ${data.version}`;
    findLanes();
    findArrows();
    drawWhy();
    layOut();
    search();
  }

  function setTheme(name) {
    keepTheme(name);
    layOut();  // the processes have other colours
    choose(chosen);
  }

  const toggleTheme = () => setTheme(isDark() ? "light" : "dark");
  const toLoop = () => { const at = steps.findIndex((step) => step.lp); if (at >= 0) choose(at); };
  const KEYS = {
    j: () => choose(chosen + 1), ArrowDown: () => choose(chosen + 1),
    k: () => choose(chosen - 1), ArrowUp: () => choose(chosen - 1),
    ArrowRight: () => sameProcess(1), ArrowLeft: () => sameProcess(-1),
    PageDown: () => choose(chosen + 20), PageUp: () => choose(chosen - 20),
    Home: () => choose(-1), End: () => choose(steps.length - 1),
    n: () => goToMatch(1), N: () => goToMatch(-1), l: toLoop, m: otherEnd, t: toggleTheme,
    "/": () => byId("search").focus(), "?": () => byId("keys").showModal(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
    if (event.target === byId("search")) {
      if (event.key === "Enter") goToMatch(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") byId("lanes").focus();
      return;
    }
    if (event.target instanceof HTMLSelectElement || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  byId("lanes").addEventListener("scroll", drawRows, { passive: true });
  byId("search").addEventListener("input", search);
  const clicks = { first: KEYS.Home, last: KEYS.End, previous: KEYS.k, next: KEYS.j, theme: toggleTheme, help: KEYS["?"] };
  for (const [id, action] of Object.entries(clicks)) byId(id).onclick = action;
  byId("divider").addEventListener("pointerdown", (down) => {
    const aside = document.querySelector("aside"), start = aside.offsetWidth;
    const move = (event) => {
      aside.style.width = Math.max(240, Math.min(innerWidth - 320, start + down.clientX - event.clientX)) + "px";
      layOut();
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
  });
  addEventListener("resize", layOut);
  if (data.traces.length > 1) {
    const select = byId("traces");
    select.hidden = false;
    data.traces.forEach((each, index) => select.append(Object.assign(make("option", "", `${index + 1}: ${each.title}`), { value: index })));
    select.onchange = () => { open(Number(select.value)); choose(steps.length - 1); };
  }
  const wanted = new URLSearchParams(location.hash.slice(1));
  const number = Math.min(data.traces.length - 1, Number(wanted.get("trace")) || 0);
  document.documentElement.dataset.theme = wanted.get("theme") || firstTheme();
  open(number);
  byId("traces").value = number;
  choose(wanted.has("step") ? Number(wanted.get("step")) - 1 : steps.length - 1);
  byId("lanes").focus({ preventScroll: true });
  document.documentElement.dataset.ready = Math.round(performance.now());
})();
