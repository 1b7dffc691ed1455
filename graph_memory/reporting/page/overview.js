// States, forecast and runs.
async function loadOverview() {
  const [health, forecast] = await Promise.all([
    call("get_knowledge_health"),
    call("memory_forecast", { days: 365, points: 24 }),
  ]);
  const states = Object.entries(health.states).filter(([, count]) => count);
  byId("states").replaceChildren(table(["state", "memories"], states));
  const lost = forecast.first_lost.map((each) => [day(each.lost_at), opener({ ...each, content: each.lead })]);
  byId("forecast").replaceChildren(forecastPicture(forecast.points), legend(),
    make("h3", {}, "Forgotten first"), table(["on", "memory"], lost));
}

function legend() {
  const named = ([state, fill], n) => [
    draw("rect", { x: (n % 3) * 210, y: 4 + 24 * Math.floor(n / 3), width: 14, height: 14, fill }),
    draw("text", { class: "axis", x: (n % 3) * 210 + 20, y: 16 + 24 * Math.floor(n / 3) }, state),
  ];
  return draw("svg", { viewBox: `0 0 ${WIDTH} 52`, role: "img", "aria-label": "Colours of the states" },
    ...Object.entries(COLOURS).flatMap(named));
}

async function loadRuns() {
  const { runs } = await call("list_runs");
  const rows = runs.map((run) => [
    day(run.started_at), run.status, run.counts.processed,
    Object.entries(run.transitioned).map((each) => each.join(" ")).join(", "), undoButton(run),
  ]);
  byId("run-list").replaceChildren(table(["started", "status", "processed", "changes", "undo"], rows));
}

// The first press asks, and the second one acts: an undo changes many memories.
function undoButton(run) {
  if (!["done", "stopped"].includes(run.status)) return "";
  const press = () => {
    if (button.textContent === "Undo") button.textContent = "Press again to undo";
    else reported(undoRun(run.run_id));
  };
  const button = make("button", { type: "button", onclick: press, "aria-label": `Undo the run of ${day(run.started_at)}` }, "Undo");
  return button;
}

async function undoRun(id) {
  const undone = await call("undo_maintenance", { run_id: id });
  await Promise.all([loadRuns(), loadOverview()]);
  say(undone.explanation);
}
