// Style and script of the gallery page.
#pragma once

#include <string_view>

namespace yawara::cli {

inline constexpr std::string_view kGalleryStyle = R"css(
:root { color-scheme: light dark;
  --page: #f3f4f7; --card: #fff; --ink: #1c2130; --soft: #5b6478; --rule: #e2e5ec; --accent: #c2502f; --well: #f3f4f7;
  --c0: #d4603f; --c1: #2f7fb8; --c2: #c98a12; --c3: #2a9277; }
@media (prefers-color-scheme: dark) { :root {
  --page: #12151c; --card: #1b1f29; --ink: #e8ebf2; --soft: #98a2b8; --rule: #2c3240; --accent: #ff9a76; --well: #141821;
  --c0: #f08a68; --c1: #5fb0e6; --c2: #e9b44c; --c3: #4fc3a4; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1480px; padding: clamp(1rem, 3vw, 2.5rem); background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: clamp(1.9rem, 5vw, 2.8rem); line-height: 1.1; letter-spacing: -.025em; margin: 0 0 .5rem; }
h1 span { color: var(--soft); font-weight: 400; }
header p { margin: 0 0 .35rem; max-width: 46rem; color: var(--soft); }
header .machine { font-size: .85rem; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em; }
header code { white-space: nowrap; color: var(--ink); background: var(--card); border: 1px solid var(--rule); border-radius: 5px; padding: .05em .35em; }
a { color: var(--accent); text-underline-offset: .2em; }
nav { display: flex; flex-wrap: wrap; gap: .4rem; margin: 1.2rem 0 0; }
nav a { border: 1px solid var(--rule); border-radius: 99px; background: var(--card); color: var(--ink); font-size: .875rem;
  padding: .2rem .8rem; text-decoration: none; }
nav a:hover, nav a:focus-visible { border-color: var(--accent); color: var(--accent); }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); gap: 1.5rem;
  margin-top: 1.5rem; align-items: start; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 14px; overflow: hidden; min-width: 0;
  scroll-margin-top: 1rem; box-shadow: 0 1px 2px #0000000a, 0 8px 24px #0000000d; }
.clip { position: relative; margin: 0; background: var(--well); }
.clip img { display: block; width: 100%; height: 100%; object-fit: cover; background-size: cover; }
.clip button { position: absolute; right: .6rem; bottom: .6rem; border: 0; border-radius: 99px; padding: .25rem .8rem;
  background: #10131ab8; color: #fff; font: inherit; font-size: .8rem; cursor: pointer; opacity: 0; transition: opacity .15s; }
.clip:hover button, .clip button:focus-visible { opacity: 1; }
@media (hover: none) { .clip button { opacity: .85; } }
.text { padding: 1.1rem 1.25rem 1.25rem; }
h2 { margin: 0 0 .3rem; font-size: 1.25rem; letter-spacing: -.01em; line-height: 1.25; }
.text > p { margin: 0 0 .9rem; color: var(--soft); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(4.4rem, 1fr)); gap: .7rem .6rem; margin: 0 0 1rem; }
.figures div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.figures dt { font-size: .78rem; color: var(--soft); line-height: 1.25; }
.figures dd { margin: 0; font-size: 1.25rem; font-weight: 650; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.phases { margin: 0 0 1rem; }
.bar { display: flex; gap: 2px; height: 10px; border-radius: 5px; overflow: hidden; }
.bar i { min-width: 2px; }
.phases ul { display: flex; flex-wrap: wrap; gap: .1rem .9rem; margin: .4rem 0 0; padding: 0; list-style: none;
  font-size: .8rem; color: var(--soft); }
.phases li i { display: inline-block; width: .6rem; height: .6rem; border-radius: 2px; margin-right: .35rem; }
.phases li b { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
.fill-0 { background: var(--c0); } .fill-1 { background: var(--c1); } .fill-2 { background: var(--c2); } .fill-3 { background: var(--c3); }
.plot { display: block; width: 100%; height: auto; margin: 0 0 .8rem; font: 11px system-ui, sans-serif; }
.plot .title { font-size: 12px; font-weight: 600; fill: var(--ink); }
.plot .tick, .plot .key { fill: var(--soft); }
.plot .grid { stroke: var(--rule); fill: none; }
.plot .line { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
.plot .line-0 { stroke: var(--c0); } .plot .line-1 { stroke: var(--c1); } .plot .line-2 { stroke: var(--c2); }
details { border-top: 1px solid var(--rule); padding: .55rem 0; }
summary { cursor: pointer; font-size: .9rem; font-weight: 600; }
summary:hover { color: var(--accent); }
table { width: 100%; border-collapse: collapse; font-size: .86rem; margin-top: .5rem; }
th, td { text-align: left; padding: .22rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
tr:last-child > * { border-bottom: 0; }
th { font-weight: 400; color: var(--soft); padding-right: 1rem; }
td { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
pre { overflow: auto; max-height: 24rem; margin: .5rem 0 0; padding: .8rem; border-radius: 8px; background: var(--well);
  font-size: .78rem; line-height: 1.45; }
.text > .warning { border-left: 3px solid var(--c2); padding-left: .7rem; font-size: .86rem; margin: .6rem 0 0; }
.text > .error { border-left: 3px solid var(--c0); padding-left: .7rem; color: var(--ink); margin: 0; overflow-wrap: anywhere; }
.links { display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .86rem; border-top: 1px solid var(--rule);
  padding-top: .7rem; margin: 0 !important; }
)css";

inline constexpr std::string_view kGalleryScript = R"js(
const still = matchMedia("(prefers-reduced-motion: reduce)");
for (const button of document.querySelectorAll(".clip button")) {
  const image = button.parentElement.querySelector("img");
  const show = (playing) => {
    image.parentElement.querySelector("source")?.remove();
    image.src = playing ? button.dataset.clip : button.dataset.poster;
    button.textContent = playing ? "Stop" : "Play";
  };
  let playing = !still.matches;
  if (!playing) button.textContent = "Play";
  button.addEventListener("click", () => show(playing = !playing));
}
)js";

}  // namespace yawara::cli
