import { PROTOCOLS } from '@bough/providers';
import { UsageError } from '../arguments/index.ts';
import type { Input } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import type { Connection } from '../connect/index.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { projectOf } from '../connect/names.ts';
import type { KnownClient, Target } from '../gateway/index.ts';
import { clientOf, start } from '../gateway/index.ts';

export const runCommand: Command = {
  name: 'run',
  summary: 'Run another client through the gateway, so that its conversations are recorded.',
  positionals: [{ name: 'client', rest: true }],
  options: {
    ...CONNECTION_OPTIONS,
    provider: { description: 'the provider to ask instead of the client’s usual one', value: 'id' },
    into: { description: 'the project that takes the conversations', value: 'project' },
    key: {
      description: 'whose key is used (default: the client’s own if it has one)',
      value: 'key',
      choices: ['own', 'bough'],
    },
  },
  examples: [
    'bough run -- claude',
    'bough run -- codex exec "What is in this folder?"',
    'bough run --provider simulated -- claude -p "Hello"',
  ],
  run: async (input, terminal) => {
    const [program, ...words] = input.rest;
    if (program === undefined) throw new UsageError('Name the client: bough run -- claude');
    const client = clientOf(program);
    return withConnection(input, terminal, 'no tools', async (connection) => {
      const target = await targetOf(input, connection, client);
      return start(program, words, (place) => client.setup(target, place), terminal);
    });
  },
};

async function targetOf(input: Input, connection: Connection, client: KnownClient): Promise<Target> {
  const into = input.text('into');
  const project = into === undefined ? null : (await projectOf(connection.client, into)).id;
  const place = project === null ? '/gateway' : `/gateway/in/${project}`;
  return {
    gateway: `${connection.url}${place}`,
    provider: await providerOf(input.text('provider'), connection, client),
    token: connection.token,
    usesBoughsKey: input.text('key') === 'bough',
  };
}

async function providerOf(
  id: string | undefined,
  { client: api }: Connection,
  { label, speaks }: KnownClient,
): Promise<Target['provider']> {
  if (id === undefined) return null;
  const { providers } = await api.listProviders();
  const found = providers.find((provider) => provider.id === id);
  if (found === undefined)
    throw new UsageError(`There is no provider "${id}". Known: ${providers.map((known) => known.id).join(', ')}.`);
  const protocol = Object.values(PROTOCOLS).find((known) => known.id === found.protocol)?.id;
  if (protocol === undefined || speaks[protocol] === undefined) {
    const fitting = providers.filter((provider) => provider.protocol in speaks).map((provider) => provider.id);
    throw new UsageError(
      `${label} speaks ${Object.keys(speaks).join(' and ')}, and ${id} speaks ${found.protocol}. ` +
        `Providers for it: ${fitting.join(', ')}.`,
    );
  }
  return { id, protocol };
}
