import { holdLongConversation } from './index.ts';

// A conversation of 2,000 turns that is summarised by itself, and what the model still knows at its end. Usage:
// npm run long -- [turns] [window in tokens]. Fails where anything was refused, forgotten or left out.
const [turns = '2000', window = '60000'] = process.argv.slice(2);

const held = await holdLongConversation(Number(turns), Number(window), (line) => console.error(line));
console.log(JSON.stringify(held, null, 2));
const forgotten = held.asked.filter(({ isKnown }) => !isKnown);
const isKept = forgotten.length === 0 && held.keepsPinned && held.refusals === 0 && held.trimmed === 0;
if (!isKept || held.compactedAt.length < 3) {
  console.error('Something was refused, forgotten or left out, or fewer than three windows were summarised.');
  process.exitCode = 1;
}
