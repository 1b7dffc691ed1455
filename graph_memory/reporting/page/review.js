// The review queue: writes that wait, and proposals of learning, settled by keyboard.
const queue = { items: [], unsent: [], decided: [], chosen: 0, turn: Promise.resolve() };

const ofWrite = (write) => ({
  id: write.pending_id, tool: "decide_pending", ids: "pending_ids",
  head: `${write.kind}, ${write.origin.way_in ?? ""} (${write.origin.authority}), rule ${write.rule}`,
  texts: [write.content],
});

const ofProposal = (proposal) => ({
  id: proposal.proposal_id, tool: "decide_proposals", ids: "proposal_ids", reopens: true,
  head: `${proposal.kind}, ${percent(proposal.score)}: ${proposal.reason}`,
  texts: [proposal.first.content, proposal.second.content],
});

async function loadQueue() {
  const [writes, proposals] = await Promise.all([
    call("list_pending", { limit: 50 }).catch(() => null), // a caller without the scope sees the rest
    call("list_proposals", { limit: 50 }),
  ]);
  const items = [...(writes?.writes ?? []).map(ofWrite), ...proposals.proposals.map(ofProposal)];
  queue.items = items.map((item) => ({ ...item, option: option(item) }));
  byId("queue").replaceChildren(...queue.items.map((item) => item.option));
  choose(0);
}

function option(item) {
  const texts = item.texts.map((text) => make("div", {}, words(text)));
  const select = () => choose(queue.items.findIndex((each) => each.id === item.id));
  return make("li", { role: "option", id: `item-${item.id}`, onclick: select }, make("small", {}, item.head), ...texts);
}

function choose(place) {
  queue.chosen = Math.max(0, Math.min(place, queue.items.length - 1));
  queue.items.forEach((item, n) => item.option.setAttribute("aria-selected", n === queue.chosen));
  const chosen = queue.items[queue.chosen];
  byId("queue").setAttribute("aria-activedescendant", chosen?.option.id ?? "");
  chosen?.option.scrollIntoView({ block: "nearest" });
  showLeft();
}

const unsaved = () => queue.decided.filter((item) => !item.saved).length;

function showLeft() {
  const saving = unsaved() ? `, ${unsaved()} being saved` : "";
  byId("left").textContent = `${queue.items.length} to settle${saving}.`;
}

// A page that closes would lose the decisions that are not saved yet.
const warn = (event) => unsaved() && event.preventDefault();

// Keys come faster than answers: a decision leaves the list at once, and those that were made while
// a call was on its way go out together.
function decide(decision) {
  const item = queue.items[queue.chosen];
  if (!item) return say("Nothing is left to settle.");
  Object.assign(item, { decision, saved: false });
  queue.decided.push(item);
  queue.unsent.push(item);
  remove(item);
  inTurn(sendAll);
}

function inTurn(step) {
  queue.turn = queue.turn.then(() => reported(step())).then(showLeft);
}

async function sendAll() {
  const unsent = queue.unsent.splice(0);
  const kind = (item) => `${item.tool} ${item.decision}`;
  for (const each of new Set(unsent.map(kind))) await reported(send(unsent.filter((item) => kind(item) === each)));
  if (unsent.length && !queue.items.length && !queue.unsent.length) await loadQueue(); // there may be more
}

async function send(items) {
  const { tool, ids, decision } = items[0];
  try {
    const answer = await call(tool, { decision, [ids]: items.map((item) => item.id) });
    const refused = new Map(answer.refusals.map((each) => [each.proposal_id ?? each.pending_id, each.reason]));
    for (const item of items) refused.has(item.id) ? putBack(item) : (item.saved = true);
    say([`${items.length - refused.size} saved: ${decision}.`, ...refused.values()].join(" "));
  } catch (error) {
    items.forEach(putBack);
    throw error;
  }
}

// What was not sent yet is simply kept back; a proposal that was, is opened again.
function undo() {
  const item = queue.decided.at(-1);
  if (!item) return say("There is no decision to undo.");
  if (queue.unsent.includes(item)) return putBack(item);
  if (!item.reopens) return say("A decision on a waiting write stays; its memory can be deleted or recovered.");
  inTurn(() => reopen(item));
}

async function reopen(item) {
  const answer = await call(item.tool, { decision: "reopen", [item.ids]: [item.id] });
  if (answer.refusals.length) throw new Error(answer.refusals[0].reason);
  putBack(item);
  say(`Open again: ${lead(item.texts[0])}`);
}

function remove(item) {
  queue.items = queue.items.filter((each) => each !== item);
  item.option.remove();
  choose(queue.chosen);
}

function putBack(item) {
  queue.decided = queue.decided.filter((each) => each !== item);
  queue.unsent = queue.unsent.filter((each) => each !== item);
  queue.items.unshift(item);
  byId("queue").prepend(item.option);
  choose(0);
}

const KEYS = {
  j: () => choose(queue.chosen + 1), ArrowDown: () => choose(queue.chosen + 1),
  k: () => choose(queue.chosen - 1), ArrowUp: () => choose(queue.chosen - 1),
  a: () => decide("accept"), r: () => decide("reject"), u: undo,
  "?": () => byId("help").showModal(),
};

// Only while the queue has the focus: a single letter must do nothing anywhere else.
function keyed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
}
