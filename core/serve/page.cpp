#include "core/serve/page.h"

#include <nlohmann/json.hpp>

#include "core/base/json_text.h"

namespace throng {

// Browsers open at most six connections to a server, so that at most four images are shown at a time: those in view.
const std::string& page_html() {
    static const std::string kPage = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Throng</title>
<link rel="icon" href="data:,">
<style>
:root { --ground: #f4f6f8; --card: #fff; --text: #16202a; --faint: #5b6875; --line: #dde3e9;
        --mark: #0a7d66; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0e1318; --card: #171e26; --text: #e8edf2; --faint: #93a1af; --line: #27313c;
          --mark: #2ee6bf; --bad: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.45 system-ui, sans-serif; }
header { display: flex; align-items: center; gap: .75rem; padding: .75rem 1rem; }
h1 { font-size: 1.15rem; margin: 0; }
#state { margin-left: auto; color: var(--faint); font-size: .9rem; }
#state.bad, .bad { color: var(--bad); }
main { display: grid; gap: 1rem; padding: 0 1rem 1.5rem;
       grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); }
main.one figure { aspect-ratio: auto; height: min(56.25vw, 70vh); }
main.one { grid-template-columns: minmax(0, 72rem); justify-content: center; }
article { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; overflow: hidden; }
figure { margin: 0; position: relative; overflow: hidden; background: #000; aspect-ratio: 16 / 9;
         display: grid; place-items: center; color: #9aa7b3; }
figure img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: contain; }
h2 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
.name { display: flex; gap: .5rem; align-items: baseline; padding: .75rem 1rem 0; }
.name small { margin-left: auto; white-space: nowrap; color: var(--faint); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(5.5rem, 1fr)); gap: .25rem 1rem; margin: 0;
     padding: .5rem 1rem .75rem; }
dl div { display: flex; flex-direction: column-reverse; }
dt { color: var(--faint); font-size: .8rem; overflow-wrap: anywhere; }
dd { margin: 0; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
dl .main dd { color: var(--mark); font-weight: 600; }
details { border-top: 1px solid var(--line); padding: .5rem 1rem .75rem; color: var(--faint); font-size: .9rem; }
summary { cursor: pointer; padding: .2rem 0; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
td { padding: .15rem 0; overflow-wrap: anywhere; }
td:last-child { text-align: right; }
#none { padding: 0 1rem 2rem; max-width: 44rem; color: var(--faint); }
code { overflow-wrap: anywhere; }
</style>
</head>
<body>
<header><h1>Throng</h1><span id="state" role="status">connecting</span></header>
<main id="sources"></main>
<section id="none" hidden>
<p>No source is running. Other programs can ask about single images:</p>
<p><code>curl --data-binary @photo.jpg <span id="here"></span>detect</code></p>
<p>All addresses are described in <a href="openapi.json">openapi.json</a>.</p>
</section>
<script>
"use strict";
if (new URLSearchParams(location.search).has("token")) history.replaceState(null, "", location.pathname);
const most = 4, cards = new Map(), main = document.getElementById("sources"), state = document.getElementById("state");
document.getElementById("here").textContent = location.origin + "/";

function element(tag, text, name) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
}
function showImages() {
  let left = most;
  for (const card of cards.values()) {
    const wanted = card.visible && !card.idle && !document.hidden && left > 0;
    if (wanted) --left;
    if (wanted === Boolean(card.image)) continue;
    if (wanted) {
      card.image = element("img");
      card.image.alt = "Live image of " + card.title.textContent;
      card.image.onerror = () => setTimeout(() => { drop(card); showImages(); }, 2000);
      card.image.src = "streams/" + card.number + "/mjpeg?" + Date.now();
      card.figure.replaceChildren(card.image);
    } else {
      drop(card);
    }
  }
}
function drop(card) {
  if (card.image) { card.image.onerror = null; card.image.src = "data:,"; card.image = null; }
  card.figure.replaceChildren(card.idle);
}
const watcher = new IntersectionObserver(entries => {
  for (const entry of entries) cards.get(Number(entry.target.dataset.number)).visible = entry.isIntersecting;
  showImages();
});
document.addEventListener("visibilitychange", showImages);

function add(source) {
  const card = {number: source.number, visible: true, idle: "", image: null, box: element("article"),
                figure: element("figure"), title: element("h2"), rate: element("small"), values: element("dl"),
                stages: element("table"), facts: element("p")};
  const name = element("div", undefined, "name"), more = element("details");
  name.append(card.title, card.rate);
  more.append(element("summary", "Stages"), card.facts, card.stages);
  card.box.dataset.number = source.number;
  card.box.append(card.figure, name, card.values, more);
  main.append(card.box);
  cards.set(source.number, card);
  watcher.observe(card.box);
  setTimeout(showImages);
  return card;
}
function value(name, text, emphasized) {
  const pair = element("div", undefined, emphasized ? "main" : "");
  pair.append(element("dt", name), element("dd", text));
  return pair;
}
function update(source) {
  const card = cards.get(source.number) || add(source);
  const idle = source.ended ? "ended" : source.open ? "" : "not open";
  if (card.idle !== idle) { card.idle = idle; drop(card); showImages(); }
  card.title.textContent = source.name;
  card.rate.textContent = idle || source.fps.toFixed(1) + " frames/s";
  card.rate.className = !source.open || (source.live && !source.ended && source.fps === 0) ? "bad" : "";
  const values = [value(source.finds + " now", source.found, true), value("tracked", source.people),
                  value("seen so far", source.unique)];
  for (const zone of source.zones) values.push(value("in " + zone.name, zone.people));
  for (const line of source.lines) values.push(value(line.name + ", in / out", line.in + " / " + line.out));
  values.push(value("latency", source.latency_ms.toFixed(0) + " ms"));
  card.values.replaceChildren(...values);
  card.facts.textContent = (source.details && source.details + ". ") + "Frames: " + source.frames +
                           ", dropped: " + source.dropped +
                           ", reconnected: " + source.reconnects + ".";
  card.stages.replaceChildren(...Object.entries(source.timings_ms).map(([stage, ms]) => {
    const row = element("tr");
    row.append(element("td", stage), element("td", ms.toFixed(2) + " ms"));
    return row;
  }));
}
async function poll() {
  try {
    const answer = await fetch("streams");
    if (!answer.ok) throw new Error(answer.status === 401 ? "a token is needed" : "error " + answer.status);
    const sources = await answer.json();
    for (const source of sources) update(source);
    main.className = sources.length === 1 ? "one" : "";
    document.getElementById("none").hidden = sources.length > 0;
    state.textContent = sources.length > 1 ? sources.length + " sources" : "";
    state.className = "";
  } catch (error) {
    state.textContent = error instanceof TypeError ? "no connection" : error.message;
    state.className = "bad";
  }
  setTimeout(poll, document.hidden ? 5000 : 1000);
}
poll();
</script>
</body>
</html>
)html";
    return kPage;
}

std::string openapi_json(const std::string& version) {
    using Json = nlohmann::ordered_json;
    const auto content = [](const char* type, const Json& schema) { return Json{{type, {{"schema", schema}}}}; };
    const Json text = {{"type", "string"}};
    const Json object = {{"type", "object"}};
    const Json image = {{"type", "string"}, {"format", "binary"}};
    const Json error = {{"type", "object"}, {"properties", {{"error", text}}}};
    const auto answers = [&](const char* what, const Json& body, const Json& others) {
        Json result = {{"200", {{"description", what}, {"content", body}}}};
        for (const auto& [status, why] : others.items()) {
            result[status] = {{"description", why}, {"content", content("application/json", error)}};
        }
        return result;
    };
    const Json number = {{"name", "number"},
                         {"in", "path"},
                         {"required", true},
                         {"description", "Position of the source on the command line, from 1"},
                         {"schema", {{"type", "integer"}, {"minimum", 1}}}};
    const auto get = [&](const char* summary, const char* type, const Json& schema,
                         const Json& others = Json::object()) {
        return Json{{"get", {{"summary", summary}, {"responses", answers(summary, content(type, schema), others)}}}};
    };
    const Json box = {{"type", "object"},
                      {"properties",
                       {{"confidence", {{"type", "number"}}},
                        {"label", {{"type", "string"}, {"enum", {"face", "person"}}}},
                        {"x_min", {{"type", "integer"}}},
                        {"y_min", {{"type", "integer"}}},
                        {"x_max", {{"type", "integer"}}},
                        {"y_max", {{"type", "integer"}}}}}};
    const Json predictions = {{"type", "object"},
                              {"properties",
                               {{"success", {{"type", "boolean"}}},
                                {"predictions", {{"type", "array"}, {"maxItems", 20}, {"items", box}}},
                                {"duration", {{"type", "integer"}, {"description", "Milliseconds"}}}}}};
    const Json form = {{"type", "object"},
                       {"required", {"image"}},
                       {"properties", {{"image", image}, {"min_confidence", {{"type", "number"}}}}}};
    const Json refusals = {{"400", "No image, or one that cannot be read"},
                           {"413", "The body or the image is too large"},
                           {"501", "The detector does not find faces"},
                           {"503", "The queue is full, or the detector failed"}};
    const auto post = [&](const char* summary, const Json& body, const Json& answer) {
        return Json{{"post",
                     {{"summary", summary},
                      {"requestBody", {{"required", true}, {"content", body}}},
                      {"responses", answers(summary, content("application/json", answer), refusals)}}}};
    };
    const Json missing = {{"404", "There is no such source, or it has no result yet"}};
    Json paths = {{"/", get("The page", "text/html", text)},
                  {"/streams", get("The sources, with counts and times", "application/json",
                                   {{"type", "array"}, {"items", object}})},
                  {"/streams/{number}/mjpeg", get("Live images; faces are hidden unless --show-faces was given",
                                                  "multipart/x-mixed-replace; boundary=frame", image, missing)},
                  {"/streams/{number}/latest.json",
                   get("The newest result, as a line of --json", "application/json", object, missing)},
                  {"/events", get("The lines of --events, as server-sent events", "text/event-stream", text)},
                  {"/metrics", get("Metrics for Prometheus", "text/plain; version=0.0.4", text)},
                  {"/healthz", get("The program is running", "text/plain", text)},
                  {"/readyz", get("Every source gives results", "text/plain", text,
                                  {{"503", "A source, or the detector, gives no results"}})},
                  {"/openapi.json", get("This description", "application/json", object)},
                  {"/detect", post("Finds faces in an image: as a line of --json",
                                   {{"image/*", {{"schema", image}}},
                                    {"application/octet-stream", {{"schema", image}}},
                                    {"multipart/form-data", {{"schema", form}}}},
                                   object)}};
    for (const char* path : {"/v1/vision/face", "/v1/vision/detection"}) {
        paths[path] =
            post("Finds faces in an image: as DeepStack answers", content("multipart/form-data", form), predictions);
    }
    for (const char* path : {"/streams/{number}/mjpeg", "/streams/{number}/latest.json"}) {
        paths[path]["get"]["parameters"] = Json::array({number});
    }
    const Json api = {{"openapi", "3.0.3"},
                      {"info", {{"title", "Throng"}, {"version", version}, {"license", {{"name", "Apache-2.0"}}}}},
                      {"paths", paths},
                      {"components", {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}},
                      {"security", {{{"token", Json::array()}}, Json::object()}}};
    return json_text(api, 2) + "\n";
}

}  // namespace throng
