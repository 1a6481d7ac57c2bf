import type { Answer, Request } from './messages.ts';
import { markdownBlocks } from './blocks.ts';
import { treeOf } from './tree.ts';

/** The thread that formats. It may take any time, fail or be terminated: the page still has the text itself to show. */
// The page's types declare `self` as a window; in a worker it is a port.
const page = self as unknown as Pick<MessagePort, 'postMessage' | 'onmessage'>;
const answer = (message: Answer): void => page.postMessage(message, []);

page.onmessage = ({ data }: MessageEvent<Request>) => {
  if (data.kind === 'cut') answer({ kind: 'cut', blocks: attempt(() => markdownBlocks(data.text)) });
  else for (const source of data.sources) answer({ kind: 'formatted', formatted: attempt(() => treeOf(source)) });
};

/** When a parser gives up, usually because its stack is full, the text is shown as it was written. */
function attempt<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch (error) {
    console.warn('A text could not be formatted and is shown as it came.', error);
    return null;
  }
}

// The first text of each kind takes long, because everything is initialised: that must not count against its time
// limit.
treeOf('# a\n\n- **b** $$c$$\n\n```js\nlet d;\n```');
answer({ kind: 'ready' });
