// Style, frame and script of the page of a sweep; colours are those of the gallery.
#pragma once

#include <string_view>

namespace yawara::cli {

inline constexpr std::string_view kSweepStyle = R"css(
section { background: var(--card); border: 1px solid var(--rule); border-radius: 14px; padding: 1.1rem 1.25rem 1.25rem;
  margin-top: 1.5rem; box-shadow: 0 1px 2px #0000000a, 0 8px 24px #0000000d; }
section > p { margin: 0 0 .7rem; color: var(--soft); font-size: .9rem; }
header .figures { max-width: 46rem; }
.choice { display: flex; flex-wrap: wrap; gap: .5rem 1.2rem; margin-top: 1.2rem; font-size: .9rem; }
.choice select { font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--rule); border-radius: 6px;
  padding: .2rem .4rem; max-width: 18rem; }
canvas { display: block; width: 100%; }
#coordinates { height: 22rem; touch-action: none; cursor: crosshair; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: 1.2rem; }
.plots figure { margin: 0; min-width: 0; }
.plots canvas { height: 13rem; }
.plots figcaption { font-size: .82rem; color: var(--soft); overflow-wrap: anywhere; }
.ends { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 2rem; }
.ends h3 { margin: .4rem 0 .2rem; font-size: 1rem; }
.ends td, .ends th { padding-right: .8rem; white-space: nowrap; }
.scroll { overflow-x: auto; }
.ends tbody tr:hover { background: var(--well); }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .7rem; }
.pictures figure { margin: 0; }
.pictures img { display: block; width: 100%; border-radius: 6px; background: var(--well); aspect-ratio: 16/9; object-fit: cover; }
.pictures figcaption { font-size: .74rem; color: var(--soft); line-height: 1.3; margin-top: .2rem; overflow-wrap: anywhere; }
.notes td:nth-child(2) { padding-right: 1rem; }
#hint { min-height: 1.5em; margin: .5rem 0 0; font-size: .85rem; overflow-wrap: anywhere; }
)css";

inline constexpr std::string_view kSweepBody = R"html(
<div class="choice"><label>Measure <select id="measure"></select></label>
<label>of each run <select id="part"><option value="last">at the end</option><option value="min">least</option>
<option value="max">most</option><option value="mean">mean</option></select></label></div>
<section><h2>All runs</h2><p>A line is a run, its colour the measure. Drag along an axis to keep a part of it; click the
axis to let go.</p><canvas id="coordinates"></canvas><p id="hint"></p></section>
<section><h2>Best and worst</h2><div class="ends" id="ends"></div></section>
<section><h2>Against each parameter</h2><div class="plots" id="plots"></div></section>
<section id="all_pictures" hidden><h2>Pictures</h2><div class="pictures" id="pictures"></div></section>
)html";

inline constexpr std::string_view kSweepScript = R"js(
"use strict";
const $ = (id) => document.getElementById(id);
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const brief = (x) => x === null || x === undefined ? "-" : typeof x === "number" ? String(+x.toPrecision(4)) :
  typeof x === "string" ? x : JSON.stringify(x);
const count = (sweep.run ?? []).length;
const folder = (run) => "runs/" + String(run).padStart(6, "0");

// An axis: from a value to 0..1 and its ticks; by factors where the values span many, by order where they are no numbers.
function axis(name, values) {
  const numbers = values.filter((v) => typeof v === "number");
  if (numbers.length < values.filter((v) => v !== null).length) {
    const words = [...new Set(values.map(brief))];
    const place = (v) => words.length > 1 ? words.indexOf(brief(v)) / (words.length - 1) : 0.5;
    return { name, values, place, ticks: words.slice(0, 12).map((w) => [words.length > 1 ? words.indexOf(w) / (words.length - 1) : 0.5, w]) };
  }
  let low = Infinity, high = -Infinity;
  for (const v of numbers) { low = Math.min(low, v); high = Math.max(high, v); }
  if (!(low <= high)) { low = 0; high = 1; }
  const log = low > 0 && high / low > 50;
  if (low === high) { const half = Math.abs(low) / 2 || 0.5; low -= half; high += half; }
  const on = log ? Math.log : (x) => x;
  const place = (v) => typeof v === "number" ? (on(v) - on(low)) / (on(high) - on(low)) : NaN;
  const ticks = [];
  if (log) {
    const every = Math.max(1, Math.ceil(Math.log10(high / low) / 5));
    for (let e = Math.ceil(Math.log10(low) - 1e-9); 10 ** e <= high * (1 + 1e-9); e += every) ticks.push([place(10 ** e), brief(10 ** e)]);
  } else {
    const raw = (high - low) / 5, base = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].find((f) => f * base >= raw) * base;
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) ticks.push([place(k * step), brief(k * step)]);
  }
  return { name, values, place, ticks };
}

const parameters = sweep.parameters.map((p) => axis(p.name, p.values));
let measure, part, chosen, kept = new Map(), pointed = -1;
const shown = (k) => parameters.concat([chosen]).every((a, i) => {
  const range = kept.get(i);
  const at = range && a.place(a.values[k]);
  return !range || (at >= range[0] && at <= range[1]);
});

function hue(share) {
  if (!(share >= 0)) return style("--soft");
  const stops = matchMedia("(prefers-color-scheme: dark)").matches ? [[95, 130, 230], [60, 190, 170], [245, 205, 90]]
    : [[70, 60, 150], [25, 140, 130], [215, 130, 20]];
  const at = Math.min(share, 0.9999) * 2, k = Math.floor(at), t = at - k;
  return "rgb(" + stops[k].map((c, i) => Math.round(c + t * (stops[k + 1][i] - c))).join(",") + ")";
}

function prepared(canvas) {
  const box = canvas.getBoundingClientRect(), ratio = devicePixelRatio || 1;
  canvas.width = box.width * ratio;
  canvas.height = box.height * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.font = "11px system-ui, sans-serif";
  return [pen, box.width, box.height];
}

// ---- parallel coordinates ----
const board = { top: 34, bottom: 14, side: 60 };
const across = (i, width) => board.side + (width - 2 * board.side) * i / Math.max(1, parameters.length);
const down = (share, height) => height - board.bottom - share * (height - board.top - board.bottom);

function drawCoordinates() {
  const [pen, width, height] = prepared($("coordinates")), axes = parameters.concat([chosen]);
  const line = (k) => {
    pen.beginPath();
    axes.forEach((a, i) => {
      const at = a.place(a.values[k]);
      if (Number.isFinite(at)) pen.lineTo(across(i, width), down(at, height));
    });
    pen.stroke();
  };
  const visible = [];
  for (let k = 0; k < count; ++k) if (shown(k)) visible.push(k);
  pen.globalAlpha = Math.max(0.06, Math.min(0.8, 60 / Math.max(1, visible.length)));
  pen.lineWidth = 1.3;
  for (const k of visible) { pen.strokeStyle = hue(chosen.place(chosen.values[k])); line(k); }
  pen.globalAlpha = 1;
  if (pointed >= 0) { pen.strokeStyle = style("--ink"); pen.lineWidth = 2.5; line(pointed); }
  axes.forEach((a, i) => {
    const x = across(i, width);
    pen.strokeStyle = style("--soft");
    pen.lineWidth = 1;
    pen.strokeRect(x, board.top, 0, height - board.top - board.bottom);
    const range = kept.get(i);
    if (range) {
      pen.fillStyle = style("--accent");
      pen.globalAlpha = 0.35;
      pen.fillRect(x - 5, down(range[1], height), 10, down(range[0], height) - down(range[1], height));
      pen.globalAlpha = 1;
    }
    pen.textAlign = "center";
    pen.fillStyle = style("--ink");
    const room = (width - 2 * board.side) / Math.max(1, parameters.length) - 10;
    let name = a.name;
    while (name.length > 4 && pen.measureText(name).width > Math.max(100, room)) name = "…" + name.slice(2);
    pen.textAlign = i === 0 ? "left" : i === parameters.length ? "right" : "center";
    pen.fillText(name, i === 0 ? 0 : i === parameters.length ? width : x, 16);
    pen.fillStyle = style("--soft");
    pen.textAlign = i === parameters.length ? "left" : "right";
    for (const [at, text] of a.ticks) pen.fillText(text, x + (i === parameters.length ? 7 : -7), down(at, height) + 4);
  });
}

function describe(k) {
  if (k < 0) return "";
  return "run " + sweep.run[k] + " (" + sweep.status[k] + "): " +
    parameters.map((a) => a.name + " = " + brief(a.values[k])).join(", ") + ", " + chosen.name + " = " + brief(chosen.values[k]);
}
function point(k) {
  if (k === pointed) return;
  pointed = k;
  $("hint").textContent = describe(k);
  drawCoordinates();
}
{
  const canvas = $("coordinates");
  let from = null;
  const where = (event) => {
    const box = canvas.getBoundingClientRect();
    const share = (box.height - board.bottom - (event.clientY - box.top)) / (box.height - board.top - board.bottom);
    const place = (event.clientX - box.left - board.side) / (box.width - 2 * board.side) * parameters.length;
    return [Math.max(0, Math.min(1, share)), place];
  };
  canvas.addEventListener("pointerdown", (event) => {
    const [share, place] = where(event), i = Math.round(place);
    if (i < 0 || i > parameters.length || Math.abs(place - i) > 0.25) return;
    canvas.setPointerCapture(event.pointerId);
    from = [i, share];
    kept.delete(i);
    drawCoordinates();
  });
  canvas.addEventListener("pointermove", (event) => {
    const [share, place] = where(event);
    if (from) {
      if (Math.abs(share - from[1]) > 0.01) kept.set(from[0], [Math.min(share, from[1]), Math.max(share, from[1])]);
      return drawCoordinates();
    }
    const axes = parameters.concat([chosen]), i = Math.max(0, Math.min(parameters.length - 1, Math.floor(place))), t = place - i;
    let best = -1, nearest = 0.03;
    for (let k = 0; k < count; ++k) {
      if (!shown(k)) continue;
      const a = axes[i].place(axes[i].values[k]), b = axes[i + 1].place(axes[i + 1].values[k]);
      const distance = Math.abs(a + t * (b - a) - share);
      if (distance < nearest) { nearest = distance; best = k; }
    }
    point(best);
  });
  canvas.addEventListener("pointerup", () => { if (from) { from = null; drawPlots(); listEnds(); } });
  canvas.addEventListener("pointerleave", () => point(-1));
}

// ---- a plot for each parameter ----
function drawPlots() {
  const host = $("plots");
  if (!host.firstChild)
    for (const p of parameters) {
      const figure = host.appendChild(document.createElement("figure"));
      figure.append(document.createElement("canvas"), document.createElement("figcaption"));
    }
  parameters.forEach((p, i) => {
    const figure = host.children[i], [pen, width, height] = prepared(figure.firstChild);
    const left = 52, bottom = 20, x = (s) => left + 6 + s * (width - left - 14), y = (s) => height - bottom - 6 - s * (height - bottom - 14);
    pen.strokeStyle = style("--rule");
    pen.fillStyle = style("--soft");
    for (const [at, text] of chosen.ticks) {
      pen.strokeRect(left, y(at), width - left, 0);
      pen.textAlign = "right";
      pen.fillText(text, left - 6, y(at) + 4);
    }
    pen.textAlign = "center";
    for (const [at, text] of p.ticks) pen.fillText(text, Math.min(x(at), width - 16), height - 5);
    pen.globalAlpha = Math.max(0.15, Math.min(0.9, 300 / Math.max(1, count)));
    for (let k = 0; k < count; ++k) {
      const across = p.place(p.values[k]), up = chosen.place(chosen.values[k]);
      if (!Number.isFinite(across) || !Number.isFinite(up) || !shown(k)) continue;
      pen.fillStyle = hue(up);
      pen.beginPath();
      pen.arc(x(across), y(up), 3, 0, 7);
      pen.fill();
    }
    pen.globalAlpha = 1;
    figure.lastChild.textContent = chosen.name + " against " + p.name;
  });
}

// ---- the best and the worst ----
function listEnds() {
  const order = [];
  for (let k = 0; k < count; ++k) if (typeof chosen.values[k] === "number" && shown(k)) order.push(k);
  order.sort((a, b) => chosen.values[a] - chosen.values[b]);
  const list = (title, runs) => {
    const box = document.createElement("div"), table = document.createElement("table");
    box.append(Object.assign(document.createElement("h3"), { textContent: title }));
    const row = (cells, kind) => {
      const line = document.createElement("tr");
      cells.forEach((text) => line.append(Object.assign(document.createElement(kind), { textContent: text })));
      return line;
    };
    table.createTHead().append(row(["run", chosen.name, ...parameters.map((p) => p.name)], "th"));
    const body = table.createTBody();
    for (const k of runs) {
      const line = row([sweep.run[k], brief(chosen.values[k]), ...parameters.map((p) => brief(p.values[k]))], "td");
      line.addEventListener("pointerenter", () => point(k));
      body.append(line);
    }
    const scroll = Object.assign(document.createElement("div"), { className: "scroll" });
    scroll.append(table);
    box.append(scroll);
    return box;
  };
  $("ends").replaceChildren(list("Most", order.slice(-5).reverse()), list("Least", order.slice(0, 5)));
}

// ---- small pictures ----
if (sweep.pictures) {
  $("all_pictures").hidden = false;
  for (let k = 0; k < Math.min(count, 400); ++k) {
    if (sweep.status[k] === "failed") continue;
    const figure = $("pictures").appendChild(document.createElement("figure"));
    figure.append(Object.assign(document.createElement("img"), { src: folder(sweep.run[k]) + "/picture.png", loading: "lazy", alt: "End of run " + sweep.run[k] }));
    figure.append(Object.assign(document.createElement("figcaption"), { textContent: sweep.run[k] + ": " + parameters.map((p) => brief(p.values[k])).join(", ") }));
    figure.addEventListener("pointerenter", () => point(k));
  }
}

function choose() {
  measure = sweep.measures[$("measure").selectedIndex];
  part = $("part").value;
  kept.delete(parameters.length);
  chosen = axis(measure.name + "." + part, measure[part] ?? []);
  drawCoordinates();
  drawPlots();
  listEnds();
}
for (const m of sweep.measures) $("measure").append(Object.assign(document.createElement("option"), { textContent: m.name }));
$("measure").addEventListener("change", choose);
$("part").addEventListener("change", choose);
addEventListener("resize", () => { drawCoordinates(); drawPlots(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { drawCoordinates(); drawPlots(); });
choose();
)js";

}  // namespace yawara::cli
