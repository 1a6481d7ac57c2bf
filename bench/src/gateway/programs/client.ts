import { Agent, type IncomingMessage, request } from 'node:http';
import { checkReply, type Wish } from '../reply.ts';
import { createTalk, type Talk } from '../talk.ts';

/** Conversations are made and kept here: sent from elsewhere, their bytes would cost more than what is measured. */
export type Question =
  | { readonly type: 'open'; readonly talks: readonly string[]; readonly bytes: number }
  | { readonly type: 'close' }
  | ({
      readonly type: 'say';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** All at once, each of them `times` times, one after the other. */
      readonly talks: readonly string[];
      readonly times: number;
    } & Wish);

export interface Answer {
  /** From the first byte of each request to the first byte of what its reply says, in milliseconds. */
  readonly firstByte: readonly number[];
  /** Replies that do not say where they are recorded: with Bough there should be none. */
  readonly unrecorded: number;
  /** The length of the longest history now. */
  readonly bytes: number;
}

const agent = new Agent({ keepAlive: true });
const open = new Map<string, Talk>();

async function answer(question: Question): Promise<Answer> {
  const replies: Reply[] = [];
  if (question.type === 'close') open.clear();
  if (question.type === 'open') for (const name of question.talks) open.set(name, createTalk(question.bytes));
  if (question.type === 'say') {
    const all = await Promise.all(question.talks.map((name) => sayAll(question, name)));
    replies.push(...all.flat());
    // A server closes what is idle for long, and the next request would meet that.
    agent.destroy();
  }
  return {
    firstByte: replies.map((reply) => reply.firstByte),
    unrecorded: replies.filter(({ isRecorded }) => !isRecorded).length,
    bytes: Math.max(0, ...[...open.values()].map((talk) => talk.bytes())),
  };
}

type Saying = Extract<Question, { readonly type: 'say' }>;

interface Reply {
  readonly firstByte: number;
  readonly isRecorded: boolean;
}

async function sayAll(saying: Saying, name: string): Promise<readonly Reply[]> {
  const talk = open.get(name);
  if (talk === undefined) throw new Error(`No conversation is called "${name}".`);
  const replies: Reply[] = [];
  for (let time = 0; time < saying.times; time += 1) {
    replies.push(await say(saying, name, Buffer.from(talk.body(saying))));
    talk.answered(saying);
  }
  return replies;
}

async function say({ url, headers, deltas }: Saying, session: string, body: Buffer): Promise<Reply> {
  const began = performance.now();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const own = {
      'content-type': 'application/json',
      'content-length': body.length,
      'anthropic-version': '2023-06-01',
      'x-api-key': 'simulated',
      'user-agent': 'claude-cli/2.1.325 (external, cli)',
      'x-claude-code-session-id': session,
    };
    request(url, { method: 'POST', headers: { ...own, ...headers }, agent }, resolve)
      .once('error', reject)
      .end(body);
  });
  let first = Number.NaN;
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    if (chunks.length === 0) first = performance.now() - began;
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${bytes.toString()}`);
  checkReply(bytes, deltas);
  return { firstByte: first, isRecorded: response.headers['x-bough-project'] !== undefined };
}

process.on('message', (question: Question) => {
  answer(question).then(
    (ok) => process.send?.({ ok }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.stdout.write('http://none\n');
