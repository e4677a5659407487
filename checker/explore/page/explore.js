// The page of `cmc explore`. It asks the server (checker/explore/explorer.h) and shows what that answers; it knows nothing
// of models itself. Texts of the model are only ever set as text, never parsed as HTML.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { byId, hue, isDark, make, cutInMiddle, linesOf, addTokens, firstTheme, keepTheme, LETTER } = cmc;
  const ROW = 26, LEFT = 64, EDGE = 4, AROUND = 40, CHANGES = 190, MOST_ROWS = 400000;
  const fileName = (index) => (data.sources[index] ? data.sources[index].name.replace(/^.*\//, "") : "");
  const files = data.sources.map((source, index) => index).filter((index) => !data.sources[index].name.startsWith("<"));
  const placeOf = (at) => (at.file >= 0 ? `${fileName(at.file)}:${at.line}` : "");

  let view = { position: 0, length: 0, choices: [], waiting: [], processes: [], state: [], shown: [], breakpoints: [] };
  let rows = new Map(), revision = -1, labels = new Map();  // rows by position, names by pid
  let marked = 0, asTable = false, graphDepth = 0, file = 0, sourceFile = -1, origin = 0, ended = false;

  // --- Asking ---------------------------------------------------------------------------------------------------------
  let queue = [], isAsking = false, isLong = false;

  async function send(message) {
    const answer = await fetch("do", { method: "POST", body: JSON.stringify(message) });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  // One after the other; steps in the same direction that wait go together.
  function ask(message) {
    const last = queue[queue.length - 1];
    const adds = last && last.do === message.do && (message.do === "forward" || message.do === "back");
    if (adds) last.count = (last.count || 1) + (message.count || 1);
    else queue.push(message);
    if (!isAsking) work();
  }

  async function work() {
    isAsking = true;
    while (queue.length > 0 && !ended) {
      const message = { ...queue.shift(), around: AROUND, graph: graphDepth };
      const timer = setTimeout(() => { isLong = true; document.body.classList.add("busy"); say("on its way; Esc cancels it"); }, 300);
      try {
        take(await send(message));
        if (message.do === "end") return over();
      } catch {
        over();
      } finally {
        clearTimeout(timer);
        isLong = false;
        document.body.classList.remove("busy");
      }
    }
    isAsking = false;
  }

  function over() {
    ended = true;
    here.close();
    document.body.classList.remove("busy");
    say("cmc has ended; this page shows what was last");
    byId("about").textContent = "cmc has ended";
  }

  const say = (text) => { byId("said").textContent = text; };
  const here = new EventSource("here");
  here.onerror = () => { if (!ended) over(); };

  // --- What has come --------------------------------------------------------------------------------------------------
  function keepRows(answer) {
    if (answer.revision !== revision) rows.clear();
    revision = answer.revision;
    for (const row of answer.rows || []) {
      rows.set(row.row, row);
      labels.set(row.pid, row.process);
      if (row.with) labels.set(row.with.pid, row.with.process);
    }
  }

  function take(answer) {
    say(answer.said || "");
    if (answer.state === undefined && answer.choices === undefined) return;
    view = { ...view, graph: undefined, last: undefined, compared: undefined, next: undefined, loop: undefined, ...answer };
    marked = view.next ? view.next - 1 : 0;
    keepRows(answer);
    for (const each of view.processes) labels.set(each.pid, each.process);
    if (view.last && view.last.file >= 0) file = view.last.file;
    origin = view.length > MOST_ROWS ? Math.max(0, view.position - MOST_ROWS / 2) : 0;
    draw();
  }

  function draw() {
    byId("title").textContent = data.file;
    byId("position").textContent = `${view.position} of ${view.length}`;
    const stop = view.end_text || (view.loop !== undefined ? `a run that goes round for ever from position ${view.loop}` : "");
    byId("about").textContent = [stop || `${view.choice_count} ${view.choice_count === 1 ? "step" : "steps"} can be taken`,
      view.compared !== undefined ? `compared with position ${view.compared}` : ""].filter(Boolean).join(" \u00b7 ");
    byId("about").classList.toggle("bad", view.end === "error" || view.end === "invalid");
    layOut();
    drawSource();
    drawState();
    drawNext();
    drawWho();
    document.documentElement.dataset.position = view.position;
  }

  // --- The run --------------------------------------------------------------------------------------------------------
  let laneWidth = 100, changeLeft = 0, width = 0, pids = [], shownRows = new Map();
  const laneLeft = (pid) => LEFT + pids.indexOf(pid) * laneWidth;
  const rowTop = (position) => (position - origin) * ROW;
  const lastRow = () => Math.min(view.length, origin + MOST_ROWS);

  function layOut() {
    const lanes = byId("lanes"), heads = byId("heads");
    pids = [...labels.keys()].sort((a, b) => a - b);
    const room = lanes.clientWidth - LEFT - CHANGES;
    laneWidth = Math.max(96, Math.min(210, Math.floor(room / Math.max(1, pids.length))));
    changeLeft = asTable ? LEFT + 430 : LEFT + pids.length * laneWidth + 8;
    width = Math.max(changeLeft + CHANGES, lanes.clientWidth);
    heads.replaceChildren();
    heads.style.width = byId("rows").style.width = width + "px";
    byId("rows").style.height = (lastRow() - origin + 1) * ROW + 40 + "px";
    const head = (left, wide, text, pid) => {
      const label = make("div", pid === undefined ? "head plain" : "head", cutInMiddle(text, wide - 18));
      label.style.cssText = `left:${left}px;width:${wide}px;--hue:${pid === undefined ? "inherit" : hue(pid)}`;
      label.title = text;
      heads.append(label);
    };
    if (asTable) [["process", 0, 110], ["place", 110, 110], ["statement", 220, 210], ["changes", 430, CHANGES]].forEach(
      ([text, left, wide]) => head(LEFT + left, wide, text));
    else pids.forEach((pid) => head(laneLeft(pid), laneWidth, labels.get(pid), pid));
    for (const row of shownRows.values()) row.remove();
    shownRows.clear();
    const top = rowTop(view.position), shown = lanes.clientHeight - heads.offsetHeight;
    if (top < lanes.scrollTop + ROW || top + 2 * ROW > lanes.scrollTop + shown) lanes.scrollTop = Math.max(0, top - shown / 2);
    if (!asTable && view.last) {
      const left = laneLeft(view.last.pid);
      if (left < lanes.scrollLeft + LEFT || left + laneWidth > lanes.scrollLeft + lanes.clientWidth)
        lanes.scrollLeft = Math.max(0, left - LEFT - laneWidth);
    }
    drawRows();
  }

  const ARROWS = ["\u2192 ", "\u2190 ", "\u00b7 ", "\u21c4 "];  // sent, received, read, handed over
  const changesOf = (row) => [row.message ? `${ARROWS[row.message.kind]}${row.message.channel} [${row.message.fields}]` : "",
    ...row.changes, ...(row.inside || []).map((text) => `with ${text}`), row.timeout ? "timeout" : "",
    row.printed !== undefined ? `prints ${JSON.stringify(row.printed)}` : "", ...(row.errors || []), ...(row.notes || [])]
    .filter(Boolean).join(",  ");

  function put(row, name, text, left, wide, pid) {
    const part = make("div", name, cutInMiddle(text, wide - (name.startsWith("box") ? 18 : 8)));
    part.style.cssText = `left:${left}px;width:${wide}px;--hue:${pid === undefined ? "inherit" : hue(pid)}`;
    part.title = text;
    row.append(part);
  }

  function makeRow(position) {
    const row = make("div", "row"), step = rows.get(position);
    row.style.cssText = `top:${rowTop(position)}px;width:${width}px;height:${ROW}px`;
    row.onclick = () => ask({ do: "goto", position });
    row.append(make("div", "number", position === 0 ? "start" : position));
    row.classList.toggle("chosen", position === view.position);
    row.classList.toggle("ahead", position > view.position);
    row.classList.toggle("compared", position === view.compared);
    row.classList.toggle("loop", view.loop !== undefined && position === view.loop + 1);
    if (!step) return row;
    row.classList.toggle("error", Boolean(step.errors));
    if (asTable) {
      put(row, "cell process", step.process, LEFT, 110, step.pid);
      put(row, "cell place", placeOf(step), LEFT + 110, 110);
      put(row, "cell", step.text + (step.with ? `  \u21c4 ${step.with.process} ${step.with.text}` : ""), LEFT + 220, 210);
    } else {
      put(row, "box actor", step.text, laneLeft(step.pid) + EDGE, laneWidth - 2 * EDGE, step.pid);
      if (step.with) put(row, "box", step.with.text, laneLeft(step.with.pid) + EDGE, laneWidth - 2 * EDGE, step.with.pid);
    }
    put(row, "change", changesOf(step), changeLeft, width - changeLeft - 6);
    return row;
  }

  let wanted;
  function drawRows() {
    const lanes = byId("lanes");
    const first = Math.max(origin, origin + Math.floor(lanes.scrollTop / ROW) - 5);
    const last = Math.min(lastRow(), origin + Math.ceil((lanes.scrollTop + lanes.clientHeight) / ROW) + 5);
    for (const [position, row] of shownRows) {
      if (position >= first && position <= last) continue;
      row.remove();
      shownRows.delete(position);
    }
    let missing = 0;
    for (let position = first; position <= last; ++position) {
      if (position > 0 && !rows.has(position)) missing = missing || position;
      if (shownRows.has(position)) continue;
      const row = makeRow(position);
      shownRows.set(position, row);
      byId("rows").append(row);
    }
    drawArrows(first, last);
    clearTimeout(wanted);
    if (missing > 0 && !ended) wanted = setTimeout(() => fetchRows(Math.max(1, missing - 20), last - missing + 60), 40);
  }

  async function fetchRows(from, count) {
    if (isAsking) { wanted = setTimeout(drawRows, 100); return; }
    const answer = await send({ do: "rows", from, count }).catch(() => ({ rows: [], revision: -2 }));
    if (answer.revision !== revision || answer.rows.length === 0) return;
    keepRows(answer);
    for (const row of shownRows.values()) row.remove();
    shownRows.clear();
    if (labels.size !== pids.length) layOut(); else drawRows();
  }

  const svgOf = (tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // From where a message is sent to where it is received; of a rendezvous from box to box.
  function drawArrows(first, last) {
    const svg = byId("arrows"), shapes = [], byNumber = new Map();
    for (let position = Math.max(1, first - AROUND); position <= last; ++position)
      if (rows.has(position)) byNumber.set(rows.get(position).number, position);
    const arrow = (a, from, b, to, colour) => {
      if (a === b || !pids.includes(a) || !pids.includes(b)) return;
      const right = pids.indexOf(b) > pids.indexOf(a);
      const x1 = laneLeft(a) + (right ? laneWidth - EDGE : EDGE), x2 = laneLeft(b) + (right ? EDGE : laneWidth - EDGE);
      const y1 = rowTop(from) + ROW / 2, y2 = rowTop(to) + ROW / 2, way = right ? 1 : -1;
      shapes.push(svgOf("path", { d: `M${x1} ${y1}C${x1 + way * 24} ${y1} ${x2 - way * 24} ${y2} ${x2 - way * 5} ${y2}`, fill: "none",
        stroke: colour, "stroke-width": 1.4, "stroke-opacity": .7 }), svgOf("path", { d: `M${x2} ${y2}l${-way * 7} -4v8z`, fill: colour }));
    };
    for (let position = Math.max(1, first); !asTable && position <= last; ++position) {
      const row = rows.get(position);
      if (!row) continue;
      if (row.with) arrow(row.pid, position, row.with.pid, position, hue(row.pid));
      const sent = row.message && row.message.kind === 1 ? byNumber.get(row.message.from) : undefined;
      if (sent) arrow(rows.get(sent).pid, sent, row.pid, position, hue(rows.get(sent).pid));
    }
    svg.replaceChildren(...shapes);
    svg.setAttribute("width", width);
    svg.setAttribute("height", 10);
    byId("rows").append(svg);
  }

  // --- Source ---------------------------------------------------------------------------------------------------------
  function drawSource() {
    const box = byId("source"), source = data.sources[file];
    if (!source) return;
    if (sourceFile !== file) {
      const title = make("h2", "", source.name + (files.length > 1 ? `  (one of ${files.length}: a click shows the next)` : ""));
      title.onclick = () => { file = files[(files.indexOf(file) + 1) % files.length]; drawSource(); };
      box.replaceChildren(title);
      linesOf(source).forEach((content, index) => {
        const line = make("div", "code"), text = make("span");
        addTokens(text, content);
        line.append(make("span", "stop"), make("span", "where"), make("span", "at", index + 1), text);
        line.onclick = () => ask({ do: "toggle", file, line: index + 1 });
        box.append(line);
      });
      sourceFile = file;
    }
    for (const old of box.querySelectorAll(".now, .met")) old.classList.remove("now", "met");
    for (const old of box.querySelectorAll(".where:not(:empty), .stop:not(:empty)")) old.replaceChildren();
    const at = (place, part) => (place.file === file && place.line > 0 && box.children[place.line] ? box.children[place.line].children[part] : null);
    for (const stop of view.breakpoints) {
      const mark = at(stop, 0);
      if (mark) { mark.textContent = "\u25cf"; mark.title = stop.text; }
    }
    for (const process of view.processes) {
      const where = at(process, 1);
      if (!where) continue;
      const dot = make("i");
      dot.style.setProperty("--hue", hue(process.pid));
      dot.title = `${process.process} is here`;
      where.append(dot);
    }
    const mark = (place, name) => {
      const line = place && at(place, 2) ? box.children[place.line] : null;
      if (!line) return null;
      line.classList.add(name);
      line.style.setProperty("--hue", hue(place.pid));
      return line;
    };
    mark(view.last && view.last.with, "met");
    const line = mark(view.last, "now") || (view.processes[0] && at(view.processes[0], 2) ? box.children[view.processes[0].line] : null);
    if (!line) return;
    const top = line.offsetTop - box.offsetTop;
    if (top < box.scrollTop + 34 || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = top - box.clientHeight / 2;
  }

  // --- State ----------------------------------------------------------------------------------------------------------
  function makeValue([name, value, old]) {
    const row = make("div", "value" + (old !== undefined ? " changed" : "") + (value === "0" || value === "empty" ? " zero" : ""));
    row.append(make("b", "", name));
    const content = make("span");
    if (typeof old === "string") content.append(make("del", "", old));
    content.append(value);
    row.append(content);
    return row;
  }

  function tool(text, title, action) {
    const button = make("button", "tool", text);
    button.title = title;
    button.onclick = action;
    return button;
  }

  function drawState() {
    const box = byId("state"), top = box.scrollTop, parts = [];
    const title = (text) => parts.push(make("h2", "plain", text));
    if (view.shown.length > 0) title("expressions");
    view.shown.forEach((each, index) => {
      const row = makeValue([each.text + (each.pid === 255 ? "" : ` (${labels.get(each.pid) || each.pid})`), each.value]);
      row.append(tool("\u00d7", "show it no more", () => ask({ do: "hide", index })));
      parts.push(row);
    });
    if (view.breakpoints.length > 0) title("breakpoints");
    for (const each of view.breakpoints) {
      const row = makeValue([`${each.number}) ${each.text}`, each.hits > 0 ? `${each.hits} \u00d7` : ""]);
      row.append(tool("\u00d7", "remove it", () => ask({ do: "delete", number: each.number })));
      parts.push(row);
    }
    for (const section of view.state || []) {
      const head = make("h2", section.pid >= 0 ? "process" : "");
      if (section.pid >= 0) {
        head.style.setProperty("--hue", hue(section.pid));
        head.append(make("i"));
      }
      head.append(section.title + (section.is_new ? " (new)" : ""));
      const process = view.processes.find((each) => each.pid === section.pid);
      if (process && placeOf(process)) head.append(make("span", "place", placeOf(process)));
      parts.push(head);
      for (const value of section.values) if (value.length > 2 || value[0]) parts.push(makeValue(value));
    }
    box.replaceChildren(...parts);
    box.scrollTop = top;
    const first = box.querySelector(".changed");
    if (!first) return;
    const at = first.offsetTop - box.offsetTop;
    if (at < top + 30 || at > top + box.clientHeight - 30) box.scrollTop = at - box.clientHeight / 3;
  }

  // --- What comes next ------------------------------------------------------------------------------------------------
  function drawNext() {
    const box = byId("next"), parts = [];
    if (view.end_text) parts.push(make("p", view.end === "ended" ? "end" : "end bad", view.end_text));
    // What is waited for follows below.
    for (const line of view.end === "invalid" ? [] : view.why || []) parts.push(make("p", "reason", line));
    if (graphDepth > 0 && view.graph) parts.push(...makeGraph());
    else if (view.choices.length > 0) parts.push(...makeChoices());
    if (view.waiting.length > 0) parts.push(make("h2", "", "cannot move"));
    for (const each of view.waiting) {
      const line = make("p", "waits"), name = make("b", "", each.process);
      name.style.setProperty("--hue", hue(each.pid));
      line.append(name, ` ${placeOf(each)} waits for ${each.waits.join("; or for ")}`);
      parts.push(line);
    }
    box.replaceChildren(...parts);
    const line = box.querySelector(".choice.marked");
    if (line) line.scrollIntoView({ block: "nearest" });
  }

  function makeChoices() {
    const parts = [make("h2", "", view.next ? "next (the run goes on with the one in blue)" : "next")];
    view.choices.forEach((step, index) => {
      const line = make("div", "choice" + (index === marked ? " marked" : "") + (index + 1 === view.next ? " planned" : ""));
      line.style.setProperty("--hue", hue(step.pid));
      const text = make("span", "", step.text);
      if (step.with) text.append(`  \u21c4 ${step.with.process} ${step.with.text}`);
      const changes = changesOf({ ...step, message: undefined, errors: [] });
      if (changes) text.append(make("i", "", `   ${changes}`));
      for (const error of step.errors || []) text.append(make("em", "", `   ${error}`));
      line.append(make("kbd", "", step.choice), make("b", "", step.process), text);
      line.title = placeOf(step);
      line.onclick = () => ask({ do: "choose", choice: step.choice });
      parts.push(line);
    });
    if (view.choice_count > view.choices.length) parts.push(make("p", "waits", `and ${view.choice_count - view.choices.length} more: type their number`));
    return parts;
  }

  // Columns of states by how many steps away they are.
  function makeGraph() {
    const { nodes, edges, more } = view.graph, columns = [], place = new Map();
    const COLUMN = Math.max(150, Math.floor((byId("next").clientWidth - 60) / (graphDepth + 1))), HIGH = 34;
    for (const node of nodes) (columns[node.depth] ||= []).push(node);
    const height = Math.max(70, Math.max(...columns.map((each) => each.length)) * HIGH + 10);
    columns.forEach((column, depth) => column.forEach((node, index) =>
      place.set(node.id, [16 + depth * COLUMN, height / 2 + (index - (column.length - 1) / 2) * HIGH])));
    const svg = svgOf("svg", { width: 40 + (columns.length) * COLUMN, height, role: "img", "aria-label": "the states around this one" });
    for (const edge of edges) {
      const [x1, y1] = place.get(edge.from), cut = edge.to < 0;
      const [x2, y2] = cut ? [x1 + 40, y1 + 14] : place.get(edge.to);
      const back = x2 <= x1, bend = back ? -28 : COLUMN / 2, first = edge.from === 0 && edge.choice - 1 === marked;
      const path = svgOf("path", { d: back ? `M${x1} ${y1}C${x1 + 34} ${y1 + bend} ${x2 - 10} ${y2 + bend} ${x2} ${y2 - 7}`
        : `M${x1 + 7} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 8} ${y2}`, fill: "none", stroke: edge.error ? "var(--bad)" : hue(edge.pid),
        "stroke-width": first ? 3 : 1.5, "stroke-opacity": first ? 1 : .6, "stroke-dasharray": back ? "3 3" : "none" });
      path.append(svgOf("title", {}, `${edge.process} ${edge.text}${edge.with ? ` \u21c4 ${edge.with}` : ""}${edge.error ? `: ${edge.error}` : ""}`));
      svg.append(path);
      if (edge.from === 0 && !back) svg.append(svgOf("text", { x: x2 - 24, y: y2 - 4, class: "soft" }, edge.choice));
      if (cut) svg.append(svgOf("text", { x: x2 - 4, y: y2 + 4, fill: "var(--bad)" }, "\u2715"));
    }
    for (const node of nodes) {
      const [x, y] = place.get(node.id), bad = node.end === "error" || node.end === "invalid";
      const shape = svgOf("g", { class: "node" });
      const colour = bad ? "var(--bad)" : node.id === 0 ? "var(--accent)" : node.into > 1 ? "#d97706" : "var(--soft)";
      if (node.into > 1) shape.append(svgOf("circle", { cx: x, cy: y, r: 9, fill: "none", stroke: colour, "stroke-width": 1.5 }));
      shape.append(node.end ? svgOf("rect", { x: x - 5, y: y - 5, width: 10, height: 10, fill: colour })
        : svgOf("circle", { cx: x, cy: y, r: 5.5, fill: node.open ? "var(--panel)" : colour, stroke: colour, "stroke-width": 2 }));
      shape.append(svgOf("title", {}, node.id === 0 ? "here" : node.differs.join("\n") || "only places differ"));
      const edge = edges.find((each) => each.to === node.id);
      if (node.id > 0 && edge) shape.append(svgOf("text", { x: x + 13, y: y - 6 }, cutInMiddle(`${edge.process} ${edge.text}`, COLUMN - 46)));
      shape.addEventListener("click", () => ask({ do: "take", path: node.path }));
      svg.append(shape);
    }
    const legend = make("p", "legend");
    legend.append(make("b", "", "blue"), ": here \u00b7 hollow: not followed further \u00b7 ", make("b", "", "\u25ce"), " several steps lead here \u00b7 ",
      make("b", "", "\u25a0"), " end of a run, red where it should not end \u00b7 \u2715 an error cuts the step \u00b7 dashed: back");
    const parts = [make("h2", "", `where ${graphDepth} ${graphDepth === 1 ? "step leads" : "steps lead"}`), svg, legend];
    if (more) parts.push(make("p", "waits", `the first ${nodes.length} states are shown`));
    return parts;
  }

  // --- Commands and keys ----------------------------------------------------------------------------------------------
  function drawWho() {
    const who = byId("who"), kept = who.value;
    const option = (value, text) => Object.assign(make("option", "", text), { value });
    who.replaceChildren(option(255, "globals"), ...view.processes.map((each) => option(each.pid, each.process)));
    who.value = [...who.options].some((each) => each.value === kept) ? kept : "255";
  }

  const type = (text) => { byId("line").value = text; byId("line").focus(); };
  const lines = [];
  let lineAt = 0;

  function enter() {
    const line = byId("line").value.trim();
    if (line === "") return;
    lines.push(line);
    lineAt = lines.length;
    ask({ do: "command", line, pid: Number(byId("who").value) });
    byId("line").value = "";
    byId("lanes").focus();
  }

  function setTheme(name) { keepTheme(name); draw(); }
  const mark = (way) => { marked = Math.max(0, Math.min(view.choices.length - 1, marked + way)); drawNext(); };
  const KEYS = {
    j: () => ask({ do: "forward" }), ArrowDown: () => ask({ do: "forward" }),
    k: () => ask({ do: "back" }), ArrowUp: () => ask({ do: "back" }),
    PageDown: () => ask({ do: "forward", count: 20 }), PageUp: () => ask({ do: "back", count: 20 }),
    Home: () => ask({ do: "goto", position: 0 }), End: () => ask({ do: "goto", position: view.length }),
    ArrowRight: () => mark(1), ArrowLeft: () => mark(-1),
    Enter: () => { if (view.choices[marked]) ask({ do: "choose", choice: view.choices[marked].choice }); },
    r: () => ask({ do: "random" }), R: () => ask({ do: "run" }), B: () => ask({ do: "reverse" }),
    g: () => type("goto "), f: () => type("find "), b: () => type("break "), w: () => type("watch "), s: () => type("show "),
    ":": () => type(""), "/": () => type("find "),
    c: () => ask({ do: "compare", position: view.position }), C: () => ask({ do: "compare" }),
    n: () => { graphDepth = graphDepth > 0 ? 0 : 2; ask({ do: "view" }); },
    N: () => { graphDepth = graphDepth % 4 + 1; ask({ do: "view" }); },
    v: () => { asTable = !asTable; layOut(); },
    p: () => byId("properties").showModal(), x: () => byId("exports").showModal(), "?": () => byId("keys").showModal(),
    t: () => setTheme(isDark() ? "light" : "dark"), q: () => ask({ do: "end" }),
  };
  for (let digit = 1; digit <= 9; ++digit) KEYS[digit] = () => ask({ do: "choose", choice: digit });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") {
      if (isAsking) send({ do: "cancel" }).catch(() => {});
      byId("lanes").focus();
      return;
    }
    if (event.target === byId("line")) {
      const way = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
      if (way === 0) return;
      lineAt = Math.max(0, Math.min(lines.length, lineAt + way));
      byId("line").value = lines[lineAt] || "";
      event.preventDefault();
      return;
    }
    const isButton = event.target instanceof HTMLButtonElement && (event.key === "Enter" || event.key === " ");
    if (event.target instanceof HTMLSelectElement || isButton || !KEYS[event.key]) return;
    event.preventDefault();
    if (!isLong) KEYS[event.key]();
  });
  const clicks = { start: "Home", back: "k", forward: "j", finish: "End", random: "r", view: "v", graph: "n", save: "x", theme: "t", help: "?" };
  for (const [id, key] of Object.entries(clicks)) byId(id).onclick = KEYS[key];
  byId("bar").addEventListener("submit", (event) => { event.preventDefault(); enter(); });
  byId("lanes").addEventListener("scroll", drawRows, { passive: true });
  addEventListener("resize", draw);
  const names = [["", "any property"], ...data.properties.map((name) => [name, name])];
  for (const [property, text] of names) {
    const button = make("button", "", text);
    button.onclick = () => { byId("properties").close(); ask(property ? { do: "counterexample", property } : { do: "counterexample" }); };
    byId("names").append(button);
  }
  document.title = `${fileName(0)} \u2013 cmc explore`;
  document.documentElement.dataset.theme = new URLSearchParams(location.hash.slice(1)).get("theme") || firstTheme();
  ask({ do: "view" });
  byId("lanes").focus({ preventScroll: true });
  document.documentElement.dataset.ready = Math.round(performance.now());
})();
