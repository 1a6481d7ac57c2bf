import { conversationsIn, treeOf } from './look.mjs';

/**
 * Lets a client hold its conversations, and says what came of it. What can be known only from the store is checked
 * later, when the server has let go of it.
 */
export async function play(client, stage, say) {
  const problems = [];
  const all = [];
  let refused = 0;
  for (const step of client.sessions.flat()) {
    stage.simulator.clearLog();
    const before = { front: stage.front.seen.length, behind: stage.behind.seen.length };
    const { code, output, errors } = await stage.client(client.program, step.words, client.env);
    const came = conversationsIn(stage.front.seen.slice(before.front));
    const left = conversationsIn(stage.behind.seen.slice(before.behind));
    const rejected = stage.simulator.log().filter(({ kind }) => kind === 'rejected').length;
    say(`  ${client.name}, ${stage.mode}, ${step.what}: exit ${code}, ${came.length} requests`);
    const found =
      step.isDamaged && stage.mode === 'record'
        ? asWithoutBough(came, left, rejected)
        : [...shown(step, code, output, errors), ...count(step, came), ...refusals(stage, came)];
    if (!step.isDamaged) found.push(...wire(stage, came, left));
    else if (stage.mode === 'repair' && came.some(({ repairs }) => repairs === null))
      found.push('nothing was repaired');
    problems.push(...found.map((problem) => `${step.what}: ${problem}`));
    all.push(...came);
    refused += rejected;
  }
  await quiet(stage);
  const tree = await treeOf(stage, client.seenAs);
  const calls = sum(tree, (project) => project.calls.length);
  if (calls !== all.length) problems.push(`${all.length} requests are ${calls} calls`);
  problems.push(...ofTree(client, tree, stage.mode === 'record' ? refused : 0));
  const { unrecorded } = await stage.api('/gateway');
  if (unrecorded > 0) problems.push(`${unrecorded} passed without being recorded`);
  return {
    client,
    mode: stage.mode,
    came: all,
    problems,
    sums: {
      requests: all.length,
      projects: tree.length,
      main: kinds(tree, 'main'),
      asides: kinds(tree, 'aside'),
      turns: new Set(tree.flatMap(({ nodes }) => nodes.map(({ turnId }) => turnId))).size,
      calls,
      tools: sum(tree, ({ nodes }) => nodes.filter(({ role }) => role === 'tool').length),
      refused,
      repaired: all.filter(({ repairs }) => repairs !== null).length,
    },
  };
}

/** A client may end before what it asked in passing is answered. */
async function quiet({ api }) {
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await api('/gateway')).running === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function shown(step, code, output, errors) {
  return [
    ...(code === 0 ? [] : [`exit ${code}: ${tail(errors || output)}`]),
    // How the simulator ends what it says.
    ...(/\/sim help/.test(output) ? [] : [`the reply is not shown: ${tail(output + errors)}`]),
  ];
}

function count({ tools = 0 }, came) {
  return came.length > tools ? [] : [`${came.length} requests instead of at least ${tools + 1}`];
}

/** What a client has damaged passes as it is when nothing is to be repaired: the provider refuses it. */
function asWithoutBough(came, left, rejected) {
  const isSame = came.length === left.length && came.every(({ body }, at) => body.equals(left[at].body));
  return isSame && rejected > 0 ? [] : [`${came.length} came, ${left.length} left, ${rejected} were refused`];
}

function refusals({ simulator }, came) {
  const said = simulator.log().filter(({ kind }) => kind === 'rejected' || kind === 'silent_drop');
  return [
    ...said.map(({ kind, path, rule, detail }) => `the provider: ${kind} ${path} ${rule ?? ''} ${detail}`),
    ...came
      .filter(({ status }) => status !== 200)
      .map(({ url, status, answer }) => `${status} ${url}: ${tail(answer)}`),
  ];
}

/** What left is what came; on a route it is another vendor's. */
function wire({ mode }, came, left) {
  if (mode === 'route') {
    const vendors = new Set(left.map(({ url }) => url.replace(/\?.*/, '')));
    return vendors.size === 1 && left.length === came.length
      ? []
      : [`${came.length} requests became ${left.length} to ${[...vendors].join(', ')}`];
  }
  const bodies = new Set(left.map(({ body }) => body.toString('latin1')));
  const changed = came.filter(({ body }) => !bodies.has(body.toString('latin1')));
  const told = came.filter(({ repairs }) => repairs !== null);
  return [
    ...changed.map(({ url }) => `the body of ${url} left changed`),
    ...(left.length === came.length ? [] : [`${came.length} requests came, ${left.length} left`]),
    ...told.map(({ url, repairs }) => `repaired ${url}: ${repairs}`),
  ];
}

function ofTree({ sessions, seenAs }, tree, refused) {
  const problems = [];
  const steps = sessions.flat();
  const expected = sessions.length + sum(steps, ({ projects = 0 }) => projects);
  if (tree.length !== expected) problems.push(`${expected} conversations are ${tree.length} projects`);
  const mains = kinds(tree, 'main');
  if (mains !== expected) problems.push(`${expected} conversations are ${mains} branches: ${named(tree)}`);
  const asides = sum(steps, ({ asides: wanted = 0 }) => wanted);
  if (kinds(tree, 'aside') < asides) problems.push(`${kinds(tree, 'aside')} of ${asides} sub-agents are asides`);
  const calls = tree.flatMap((project) => project.calls);
  const failed = calls.filter(({ status }) => status !== 'complete');
  if (failed.length !== refused)
    problems.push(...failed.map(({ status, errorCode }) => `a call of ${seenAs} is ${status}: ${errorCode}`));
  const tools = sum(steps, ({ tools: wanted = 0 }) => wanted);
  const results = sum(tree, ({ nodes }) => nodes.filter(({ role }) => role === 'tool').length);
  if (results < tools) problems.push(`${results} of ${tools} results of tools are in the tree`);
  return problems;
}

/** What the store rebuilds is what was on the wire. */
export function compareRebuilt({ client, came, problems, sums }, bodies) {
  const own = bodies.filter(({ client: by }) => by.startsWith(client.seenAs));
  const wire = new Set(came.map(({ body }) => body.toString('utf8')));
  const wrong = own.filter(({ came: text }) => text === null || !wire.has(text));
  if (wrong.length > 0) problems.push(`${wrong.length} of ${own.length} bodies are rebuilt wrongly`);
  if (own.length !== came.length) problems.push(`${came.length} requests came, ${own.length} are recorded`);
  sums.rebuilt = own.length - wrong.length;
}

const kinds = (tree, kind) =>
  sum(tree, ({ branches }) => branches.filter((each) => each.recorded?.kind === kind).length);
const named = (tree) =>
  tree
    .flatMap(({ branches }) => branches.map(({ name, recorded }) => `${name} (${recorded?.because ?? recorded?.kind})`))
    .join(', ');
const sum = (list, of) => list.reduce((total, each) => total + of(each), 0);
const tail = (text) => text.trim().slice(-400).replaceAll(/\s+/g, ' ');
