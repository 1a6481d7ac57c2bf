import type { Answer, Request } from './messages.ts';
import { markdownBlocks } from './blocks.ts';
import { treeOf } from './tree.ts';

/** The thread that formats. It may take any time, fail or be ended: whoever asks has the text itself to show. */
// The page's types know `self` as a window; in a thread it is a port.
const page = self as unknown as Pick<MessagePort, 'postMessage' | 'onmessage'>;
const answer = (message: Answer): void => page.postMessage(message, []);

page.onmessage = ({ data }: MessageEvent<Request>) => {
  if (data.kind === 'cut') answer({ kind: 'cut', blocks: attempt(() => markdownBlocks(data.text)) });
  else for (const source of data.sources) answer({ kind: 'formatted', formatted: attempt(() => treeOf(source)) });
};

/** A parser that gives up, mostly because its stack is full, has no opinion: the text is shown as it came. */
function attempt<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch (error) {
    console.warn('A text could not be formatted and is shown as it came.', error);
    return null;
  }
}

// The first text of each kind takes long, because everything is made ready: that counts against nobody's time.
treeOf('# a\n\n- **b** $$c$$\n\n```js\nlet d;\n```');
answer({ kind: 'ready' });
