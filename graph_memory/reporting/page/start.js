// The start of the page: what it loads, and what its controls do.
async function reported(promise) {
  try {
    return await promise;
  } catch (error) {
    say(error.message);
  }
}

async function load() {
  const parts = [loadOverview(), loadQueue()];
  await Promise.allSettled([...parts.map(reported), loadRuns().catch(noRuns)]);
}

function noRuns(error) {
  byId("run-list").replaceChildren(make("p", {}, error.message));
}

// Enter in a field presses the button, too. A sandbox of a host lets no form be submitted.
function onPress(id, action) {
  byId(id).querySelector("button").addEventListener("click", (event) => {
    event.preventDefault();
    reported(action());
  });
}

async function takeToken() {
  token = byId("token").value.trim();
  byId("token").value = "";
  byId("token-form").hidden = true;
  say("");
  await load();
}

async function moveClock() {
  showClocks();
  await Promise.all([search(), opened && openMemory(opened)]);
}

function listen() {
  onPress("token-form", takeToken);
  onPress("group-form", load);
  onPress("search-form", search);
  byId("queue").addEventListener("keydown", keyed);
  onPress("help", async () => byId("help").close());
  window.addEventListener("beforeunload", warn);
  byId("to-review").addEventListener("click", () => setTimeout(() => byId("queue").focus()));
  for (const name of ["as_of", "known_at"]) {
    byId(name).addEventListener("input", showClocks);
    byId(name).addEventListener("change", () => reported(moveClock()));
  }
}

async function start() {
  if (saved) return showSaved();
  listen();
  showClocks();
  await meetHost();
  await load();
}

reported(start());
