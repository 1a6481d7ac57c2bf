import { conversationsIn } from './look.mjs';

/** How the sentence about a used-up budget begins, whatever it is about. */
const SENTENCE = /The budget "[^"]+" is used up/;
/** A client may ask something in passing beside its question; more than that is a loop of retries. */
const MOST_REQUESTS = 3;

/**
 * A client whose budget is used up after its first answer. What counts is what its person sees: the sentence, and an
 * end. Nothing may reach the provider.
 */
export async function playRefused(client, stage, say) {
  const [session] = client.sessions;
  const first = session.at(0);
  const second = session.at(-1);
  const problems = [];
  const ask = async (step) => {
    const before = { front: stage.front.seen.length, behind: stage.behind.seen.length };
    const ran = await stage.client(client.program, step.words, client.env);
    const came = conversationsIn(stage.front.seen.slice(before.front));
    const left = conversationsIn(stage.behind.seen.slice(before.behind));
    // Codex gets a 400: after a 402 it would ask again.
    const refused = came.filter(({ status }) => status === 402 || status === 400);
    say(`  ${client.name}, budget, ${step.what}: exit ${ran.code}, ${came.length} requests, ${refused.length} refused`);
    return { ...ran, came, left, refused };
  };
  const before = await ask(first);
  if (before.left.length === 0) problems.push('nothing was answered before the budget was used up');
  const after = await ask(second);
  const shown = `${after.output}\n${after.errors}`;
  if (after.left.length > 0) problems.push(`${after.left.length} requests left although the budget was used up`);
  if (after.refused.length === 0) problems.push('nothing was refused');
  if (after.came.length > MOST_REQUESTS) problems.push(`it asked ${after.came.length} times`);
  if (after.refused.some(({ answer }) => !SENTENCE.test(answer.replaceAll('\\"', '"'))))
    problems.push('a refusal does not say why');
  if (!SENTENCE.test(shown.replaceAll(/\\+"/g, '"')))
    problems.push(`the sentence is not shown: ${shown.trim().slice(-600).replaceAll(/\s+/g, ' ')}`);
  const came = [...before.came, ...after.came];
  const refused = before.refused.length + after.refused.length;
  return { client, mode: 'budget', came: [], problems, sums: { requests: came.length, refused, exit: after.code } };
}
