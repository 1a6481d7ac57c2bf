import type { CallTarget, Provider } from '@bough/providers';
import type { Simulator } from '@bough/simulator';
import type { Examples } from './show.ts';
import { blocks, conversation, conversationOf, refusal, report } from './show.ts';
import { readable } from '../readable.ts';
import { CLOCK, Talk, target } from './talk.ts';

// What changes the next request: another model, an edit, an interruption, a switch, a full window, another prefix.

export async function breakExamples(simulator: Simulator): Promise<Examples> {
  const claude = target(simulator, 'anthropic', 'claude-sonnet-4-5', { tools: [CLOCK] });
  const talk = await loopWith(simulator, claude);
  talk.ask('Thank you.');
  const offered = { tools: [CLOCK] };
  const switched = await talk.upTo(5).reply(target(simulator, 'openai_responses', 'gpt-5.5', offered));
  const structured = await talk
    .upTo(5)
    .reply(target(simulator, 'openai_responses', 'gpt-5.5', { ...offered, keepToolsAfterBreak: true }));
  const demanding = await talk
    .upTo(5)
    .reply(target(simulator, 'deepseek', 'deepseek-v4-flash', { ...offered, keepToolsAfterBreak: true }));
  const signing = await talk
    .upTo(5)
    .reply(target(simulator, 'gemini', 'gemini-3.8-flash', { ...offered, keepToolsAfterBreak: true }));
  const away = talk.upTo(5);
  await away.reply(target(simulator, 'openai_responses', 'gpt-5.5', offered));
  const returned = await away.ask('Is it still noon?').reply(claude);
  return new Map([
    ['break/returned', conversation(returned)],
    ['break/text', conversation(switched)],
    ['break/report', report(switched)],
    ['break/structured', conversation(structured)],
    ['break/demanding', conversation(demanding)],
    ['break/signing', conversation(signing)],
  ]);
}

/** A question with a tool loop: user, call, result, answer. */
async function loopWith(simulator: Simulator, to: CallTarget): Promise<Talk> {
  const talk = new Talk(simulator).ask('What time is it?');
  await talk.reply(to);
  await talk.runTools('12:00').reply(to);
  return talk;
}

export async function editExamples(simulator: Simulator): Promise<Examples> {
  const to = target(simulator, 'anthropic', 'claude-opus-5-5');
  const talk = new Talk(simulator).ask('What is 6 × 7?');
  await talk.reply(to);
  await talk.ask('Are you sure?').reply(to);
  const edited = await talk.upTo(2).ask('And 7 × 6?').reply(to);
  return new Map([['edit/second', conversation(edited)]]);
}

const INTERRUPTED: readonly (readonly [name: string, provider: string, model: string, events: number])[] = [
  ['anthropic', 'anthropic', 'claude-sonnet-4-5', 9],
  ['responses', 'openai_responses', 'gpt-5.5', 11],
  ['chat', 'deepseek', 'deepseek-v4-flash', 4],
  ['gemini', 'gemini', 'gemini-3.8-flash', 2],
];

export async function interruptionExamples(simulator: Simulator): Promise<Examples> {
  const examples: Examples = new Map();
  for (const [name, provider, model, events] of INTERRUPTED) {
    const to = target(simulator, provider, model);
    const talk = new Talk(simulator).ask('Tell me a story.');
    // An error event, not a cut connection: a client may lose what it has not read yet, and how much would depend on
    // the machine.
    await talk.reply(to, `error ${events} x1`);
    if (name === 'anthropic') examples.set('interrupted/stored', blocks(talk.last().node));
    const next = await talk.ask('Go on.').reply(to);
    examples.set(`interrupted/${name}`, readable(conversationOf(next).slice(1, -1)));
    if (name === 'anthropic') examples.set('interrupted/report', report(next));
  }
  const claude = target(simulator, 'anthropic', 'claude-sonnet-4-5');
  const early = new Talk(simulator).ask('Tell me a story.');
  await early.reply(claude, 'error 4 x1');
  const next = await early.ask('Please begin.').reply(claude);
  examples.set('interrupted/early', conversation(next));
  examples.set('interrupted/early-report', report(next));
  return examples;
}

export async function includeExamples(simulator: Simulator): Promise<Examples> {
  const talkTo = async (to: CallTarget): Promise<Talk> => {
    const talk = new Talk(simulator).ask('What is 6 × 7?');
    await talk.reply(to);
    return talk.includeThinking().ask('Are you sure?');
  };
  const gemini = target(simulator, 'gemini', 'gemini-3.8-flash');
  const claude = target(simulator, 'anthropic', 'claude-sonnet-4-5');
  const asText = await (await talkTo(gemini)).reply(gemini);
  const asItself = await (await talkTo(claude)).reply(claude);
  const elsewhere = await (await talkTo(claude)).reply(target(simulator, 'openai_responses', 'gpt-5.5'));
  return new Map([
    ['include/gemini', conversation(asText)],
    ['include/report', report(asText)],
    ['include/anthropic', conversation(asItself)],
    ['include/break', conversation(elsewhere)],
  ]);
}

/** A window that holds two short turns, but not three. */
function withWindow(to: CallTarget, contextWindow: number): CallTarget {
  const modelInfo: Provider['modelInfo'] = (model) => ({ ...to.provider.modelInfo(model), contextWindow });
  return { ...to, maxTokens: 16, thinking: 'off', provider: { ...to.provider, modelInfo } };
}

export async function trimExamples(simulator: Simulator): Promise<Examples> {
  const to = withWindow(target(simulator, 'openai', 'gpt-5.1'), 80);
  const talk = new Talk(simulator);
  for (const question of ['What is 6 × 7?', 'Tell me a story.', 'Tell me another story.'])
    await talk.ask(question).reply(to);
  const trimmed = await talk.ask('What is 7 × 6?').reply(to);
  return new Map([
    ['trim/conversation', conversation(trimmed)],
    ['trim/report', report(trimmed)],
  ]);
}

export async function boundExamples(simulator: Simulator): Promise<Examples> {
  const before = target(simulator, 'anthropic', 'claude-opus-5-5', { systemPrompt: 'Be brief.' });
  const after = { ...before, systemPrompt: 'Be thorough.' };
  const talk = new Talk(simulator).ask('What is 6 × 7?');
  await talk.reply(before);
  talk.ask('Are you sure?');
  const refused = await refusal(before, talk.prepare(before), (body) => ({ ...body, system: 'Be thorough.' }));
  const kept = await talk.upTo(3).reply(before);
  const changed = await talk.upTo(3).reply(after);
  const instructed = talk.upTo(2).instruct({ type: 'text', text: 'Be thorough.' }).ask('Are you sure?');
  const appended = await instructed.reply(before);
  const withClock = { ...before, tools: [CLOCK] };
  const change = { type: 'tool-change', before: [CLOCK], after: [] };
  const tooled = new Talk(simulator).ask('What is 6 × 7?');
  await tooled.reply(withClock);
  const retooled = await tooled.instruct(change).ask('Are you sure?').reply(before);
  return new Map([
    ['bound/appended', conversation(appended)],
    ['bound/tools', readable(conversationOf(retooled).slice(-1))],
    ['bound/kept', conversation(kept)],
    ['bound/changed', conversation(changed)],
    ['bound/report', report(changed)],
    ['bound/mistake', refused],
  ]);
}

export async function hiddenExamples(simulator: Simulator): Promise<Examples> {
  const examples: Examples = new Map();
  const show = async (name: string, to: CallTarget, question: string): Promise<void> => {
    const talk = new Talk(simulator).ask(question);
    await talk.reply(to);
    examples.set(`hidden/${name}-stored`, blocks(talk.last().node));
    examples.set(`hidden/${name}-next`, readable(conversationOf(await talk.ask('Why?').reply(to)).slice(1, -1)));
  };
  await show('redacted', target(simulator, 'anthropic', 'claude-sonnet-4-5'), 'What is the secret?');
  await show('omitted', target(simulator, 'simulated', 'sim-hidden'), 'What is 6 × 7?');
  await show(
    'encrypted',
    target(simulator, 'openai_responses', 'gpt-5.5', { quirks: { summaries: false } }),
    'What is 6 × 7?',
  );
  return examples;
}
