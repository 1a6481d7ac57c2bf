// What the tour looks at: one project with forks, models, tools and failures, one that is long, one with long names.
const LONG_NAME =
  'A project whose name is as long as a first message that somebody wrote without thinking of names, with-a-word-that-cannot-be-broken-anywhere';

export async function tellStory(program) {
  const { call } = program;
  // The oldest: the subjects of the tour are among the newest.
  const notes = [];
  for (let number = 1; number <= 24; number += 1)
    notes.push((await call('POST', '/projects', { name: `Notes of week ${number}` })).project.id);
  const trees = await tellTrees(program);
  const long = await tellLong(program);
  const named = await tellNames(program);
  const { project: blank } = await call('POST', '/projects', { name: 'Nothing in it yet' });
  const { project: archived } = await call('POST', '/projects', { name: 'Finished long ago' });
  await call('PATCH', `/projects/${archived.id}`, { archived: true });
  return { trees, long, named, blank: blank.id, old: notes[0] };
}

/** Pinned projects, folders, forks of forks, and one project whose tool call waits. */
export async function putInOrder(program) {
  const { call, say } = program;
  const make = async (name, change, more = {}) => {
    const { project } = await call('POST', '/projects', { name, ...more });
    if (change !== undefined) await call('PATCH', `/projects/${project.id}`, change);
    return project.id;
  };
  for (const name of ['Tax return', 'Invoices', 'Contract with the printer']) await make(name, { folder: 'Office' });
  for (const name of ['Bread', 'A summer in Lisbon'])
    await make(name, { folder: 'At home, and whatever else there is to do' });
  for (const name of ['Reading list', 'Grant application']) await make(name, { pinned: true });
  for (const name of ['Notes on optics', 'Naming the release', 'Postgres upgrade']) await make(name);
  const asks = await make('Sums', undefined, { tools: ['calculator'] });
  const talk = await make('Which database?', undefined, { model: 'sim-interleaved' });
  const fork = (name, from, more) => call('POST', `/projects/${talk}/branches`, { name, fromRef: from, ...more });
  await say(talk, 'main', '/sim say It depends on how you read.');
  await fork('with more writes', 'main');
  await say(talk, 'with more writes', '/sim say Then logs matter more.');
  await fork('on one machine', 'with more writes', { provider: 'simulated_responses', model: 'sim-summary' });
  await say(talk, 'on one machine', '/sim say Then keep it simple.');
  await fork('shorter', 'main');
  // Not awaited: the stream of a turn that waits for an answer has no end.
  say(asks, 'main', '/sim tools calculator').catch(() => undefined);
  return { talk, asks };
}

const newestNode = async ({ call }, projectId, name) =>
  (await call('GET', `/projects/${projectId}/branches`)).branches.find((each) => each.name === name).tipId;

async function tellTrees(program) {
  const { call, say } = program;
  const { project } = await call('POST', '/projects', {
    name: 'How trees decide',
    provider: 'simulated',
    model: 'sim-interleaved',
    thinking: 'medium',
    tools: ['current_time'],
  });
  const { id } = project;
  const fork = async (name, from, more) => call('POST', `/projects/${id}/branches`, { name, fromRef: from, ...more });
  await say(id, 'main', '/sim say They branch where a bud finds light.');
  const early = await newestNode(program, id, 'main');
  await say(id, 'main', '/sim markdown');
  await fork('shorter', 'main', { fromNodeId: early, model: 'sim-redacted' });
  await say(id, 'shorter', 'Say it in two sentences.');
  await fork('for children', 'shorter');
  await say(id, 'for children', 'Explain it to a child of six.');
  await fork('summarised', 'main', { provider: 'simulated_responses', model: 'sim-summary' });
  await say(id, 'summarised', 'What is still unknown?');
  await fork('in other alphabets', 'main', { fromNodeId: early });
  await say(id, 'in other alphabets', '/sim unicode');
  await fork('failed', 'main', { fromNodeId: early });
  await say(id, 'failed', 'Try something. /sim fault 400').catch(() => undefined);
  await fork('hidden one', 'main');
  await call('PATCH', `/projects/${id}/branches/${encodeURIComponent('hidden one')}`, { hidden: true });
  await call('PATCH', `/projects/${id}/branches/shorter`, { pinned: true });
  return { id, early };
}

async function tellLong(program) {
  const { call, say } = program;
  const { project } = await call('POST', '/projects', { name: 'A long talk' });
  await say(project.id, 'main', '/sim say start');
  const messages = Array.from({ length: 200 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content:
      at % 2 === 0 ? `Question ${at}: what follows from it?` : `Answer ${at}. ${'It goes on for a while. '.repeat(20)}`,
  }));
  await call('POST', `/nodes/${await newestNode(program, project.id, 'main')}/append`, { ref: 'main', messages });
  await say(project.id, 'main', 'A long question, written in one go. '.repeat(120));
  return project.id;
}

async function tellNames(program) {
  const { call, say } = program;
  const { project } = await call('POST', '/projects', { name: LONG_NAME, thinking: 'medium' });
  const branch = 'a branch whose name says everything that was thought when it was made, and then some more';
  await call('POST', `/projects/${project.id}/branches`, { name: branch, fromRef: 'main' });
  await say(project.id, branch, `/sim say ${'unbreakable'.repeat(60)}`);
  for (let number = 1; number <= 30; number += 1)
    await call('POST', `/projects/${project.id}/branches`, { name: `try ${number}`, fromRef: branch });
  return { id: project.id, branch };
}
