// Clients that talk through the gateway of a program: an agent that loses thinking, and a small program.

const TOOLS = [{ name: 'ls', description: 'Lists files.', input_schema: { type: 'object', properties: {} } }];

async function ask(program, headers, body) {
  const response = await fetch(`${program.url}/gateway/simulated/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return { project: response.headers.get('x-bough-project'), content: JSON.parse(text).content };
}

/** The projects that they leave. */
export async function letClientsTalk(program) {
  const agent = { 'user-agent': 'claude-cli/2.1.325 (external, cli)', 'x-claude-code-session-id': 'tour' };
  const base = {
    model: 'sim-thinker',
    max_tokens: 4_000,
    thinking: { type: 'enabled', budget_tokens: 2_000 },
    system: [{ type: 'text', text: 'You are an agent in a garden.', cache_control: { type: 'ephemeral' } }],
    tools: TOOLS,
  };
  const asked = { role: 'user', content: 'Look into the shed and say what is there. /sim tools ls' };
  const { project, content } = await ask(program, agent, { ...base, messages: [asked] });
  const kept = content.filter(({ type }) => type !== 'thinking');
  const results = content
    .filter(({ type }) => type === 'tool_use')
    .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'rake.txt\nspade.txt' }));
  const answered = [asked, { role: 'assistant', content: kept }, { role: 'user', content: results }];
  await ask(program, agent, { ...base, messages: answered });
  await ask(
    program,
    { 'user-agent': 'garden-bot/0.4' },
    { ...base, tools: [], messages: [{ role: 'user', content: 'When do pears ripen, and how does one tell?' }] },
  );
  return { shed: project };
}
