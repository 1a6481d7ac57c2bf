import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import pg from 'pg';
import { framesOf } from './frames.ts';

/** A pooler in transaction mode between a store and its server. */
export interface Pooler {
  readonly url: string;
  /** How many transactions were carried, on how many of the server's connections. */
  readonly carried: () => { readonly transactions: number; readonly connections: number };
  readonly close: () => Promise<void>;
}

interface PoolerOptions {
  readonly size?: number;
  /** What becomes of settings that a connection asks for; some poolers are told to ignore them. */
  readonly settings?: 'refused' | 'ignored';
}

const ALLOWED: ReadonlySet<string> = new Set(['user', 'database', 'client_encoding', 'application_name']);
const SSL_REQUEST = 80_877_103;

interface Upstream {
  readonly socket: Socket;
  /** Sends messages; gives every answer to `onAnswer`; resolves with the state that the server is in afterwards. */
  readonly ask: (messages: Buffer, onAnswer: (message: Buffer) => void) => Promise<string>;
  isUsed: boolean;
}

/**
 * As strict as the strictest: settings of a connection are refused, each transaction goes to the connection that was
 * used the longest time ago, and nothing in it survives the transaction, not even what is allowed to (`DISCARD ALL`).
 * So what a store relies on beyond its transaction is missing, or belongs to somebody else.
 */
export async function startPooler(
  connection: pg.ClientConfig,
  { size = 4, settings = 'refused' }: PoolerOptions = {},
): Promise<Pooler> {
  const upstreams = await Promise.all(Array.from({ length: size }, () => connectUpstream(connection)));
  const free = [...upstreams];
  const waiting: ((upstream: Upstream) => void)[] = [];
  const clients = new Set<Socket>();
  let transactions = 0;

  const take = async (): Promise<Upstream> => {
    const upstream = free.shift() ?? (await new Promise<Upstream>((resolve) => void waiting.push(resolve)));
    upstream.isUsed = true;
    return upstream;
  };
  const giveBack = async (upstream: Upstream): Promise<void> => {
    transactions += 1;
    await upstream.ask(simpleQuery('DISCARD ALL'), () => undefined);
    const next = waiting.shift();
    if (next === undefined) free.push(upstream);
    else next(upstream);
  };

  const serve = async (client: Socket): Promise<void> => {
    let held: Upstream | null = null;
    try {
      let group: Buffer[] = [];
      for await (const { type, message } of framesOf(client, { withStartup: true })) {
        if (type === 'startup') {
          greet(client, message, settings);
          continue;
        }
        if (type === 'X') break;
        group.push(message);
        // The messages of an extended query are answered together, when they are asked to be.
        if (type !== 'S' && type !== 'Q') continue;
        held ??= await take();
        const state: string = await held.ask(Buffer.concat(group), (answer) => void client.write(answer));
        group = [];
        if (state === 'I') {
          await giveBack(held);
          held = null;
        }
      }
    } finally {
      // A client that left in the middle of a transaction has not committed it.
      if (held !== null) {
        await held.ask(simpleQuery('ROLLBACK'), () => undefined);
        await giveBack(held);
      }
      client.destroy();
    }
  };

  const server = createServer((client) => {
    // Small messages that wait for each other's receipt would make every answer late.
    client.setNoDelay(true);
    clients.add(client);
    client.on('error', () => client.destroy()).on('close', () => clients.delete(client));
    // What a broken client asked for is nobody's business any more.
    serve(client).catch(() => client.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://${connection.user}:any@127.0.0.1:${port}/${connection.database}`,
    carried: () => ({ transactions, connections: upstreams.filter(({ isUsed }) => isUsed).length }),
    close: async () => {
      for (const client of clients) client.destroy();
      for (const { socket } of upstreams) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Logs in with the driver, then takes the wire from it. */
async function connectUpstream(connection: pg.ClientConfig): Promise<Upstream> {
  const client = new pg.Client({ ...connection, ssl: false });
  await client.connect();
  const socket = client.connection.stream as Socket;
  socket
    .removeAllListeners('data')
    .removeAllListeners('end')
    .removeAllListeners('close')
    .on('error', () => undefined);
  const answers = framesOf(socket);
  return {
    socket,
    isUsed: false,
    ask: async (messages, onAnswer) => {
      socket.write(messages);
      for (;;) {
        const { value } = await answers.next();
        if (value === undefined) throw new Error('the server ended the connection');
        onAnswer(value.message);
        if (value.type === 'Z') return String.fromCharCode(value.message[5] ?? 0);
      }
    },
  };
}

function greet(client: Socket, startup: Buffer, settings: 'refused' | 'ignored'): void {
  if (startup.readInt32BE(4) === SSL_REQUEST) return void client.write('N');
  const words = startup.subarray(8).toString('utf8').split('\0');
  const asked = words.filter((word, index) => index % 2 === 0 && word !== '');
  const refused = asked.find((name) => !ALLOWED.has(name));
  if (refused !== undefined && settings === 'refused') {
    const fields = ['SFATAL', 'VFATAL', 'C08P01', `Munsupported startup parameter: ${refused}`];
    return void client.end(message('E', Buffer.from(`${fields.join('\0')}\0\0`)));
  }
  client.write(Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]));
}

function simpleQuery(text: string): Buffer {
  return message('Q', Buffer.from(`${text}\0`));
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
