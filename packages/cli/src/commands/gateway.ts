import type { GatewaySessionView, GatewayView } from '@bough/api';
import { excerpt } from '@bough/core';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, findServer } from '../connect/index.ts';
import { CLIENTS } from '../gateway/index.ts';
import { colours, printJson, table } from '../terminal/index.ts';

const USUAL = 'http://127.0.0.1:4870';
/** The page has the rest. */
const NEWEST = 5;

export const gateway: Command = {
  name: 'gateway',
  summary: 'How to connect other clients, and which ones are connected.',
  positionals: [],
  options: CONNECTION_OPTIONS,
  examples: ['bough gateway', 'bough gateway --json'],
  run: async (input, terminal) => {
    const server = await findServer(input, terminal);
    const url = server?.url ?? USUAL;
    const state = server === null ? null : await server.client.gateway();
    const sessions = server === null ? [] : (await server.client.gatewaySessions({ limit: NEWEST })).sessions;
    const needsToken = server !== null && (await server.client.session()).tokenRequired;
    const known = CLIENTS.map(({ label, programs, seenAs, lines }) => ({
      label,
      program: programs[0] ?? null,
      lines: lines(`${url}/gateway`, needsToken),
      seen: state?.clients.find(({ client }) => client === seenAs) ?? null,
    }));
    if (input.flag('json')) {
      printJson(terminal, { url, isRunning: server !== null, gateway: state, clients: known, sessions });
      return 0;
    }
    const { bold, dim } = colours(terminal);
    terminal.write(server === null ? `No Bough is running on this data. \`bough serve\` starts one.\n\n` : '');
    for (const { label, program, lines, seen } of known) {
      terminal.write(`${bold(label)}  ${dim(seen === null ? 'not seen yet' : told(seen))}\n`);
      if (program !== null) terminal.write(`  bough run -- ${program}\n  ${dim('or, without bough run:')}\n`);
      terminal.write(`${lines.map((line) => `    ${line}`).join('\n')}\n\n`);
    }
    if (state !== null) terminal.write(`${others(state)}\n`);
    if (sessions.length > 0) terminal.write(`\n${bold('Newest sessions')}\n${listed(sessions)}`);
    return 0;
  },
};

function told({ version, requests, lastSeenAt }: GatewayView['clients'][number]): string {
  const name = version === null ? '' : `${version}, `;
  return `connected: ${name}${requests} ${requests === 1 ? 'request' : 'requests'}, last at ${lastSeenAt}`;
}

function listed(sessions: readonly GatewaySessionView[]): string {
  return table(
    ['project', 'client', 'model', 'requests', 'repaired', 'last used'],
    sessions.map(({ name, clients, models, requests, repaired, lastUsedAt }) => [
      excerpt(name, 40),
      clients.join(', '),
      models.map(({ model }) => model).join(', '),
      String(requests),
      String(repaired),
      lastUsedAt,
    ]),
  );
}

function others({ clients, running, unrecorded }: GatewayView): string {
  const seen = clients.map(({ client, requests }) => `${client} (${requests})`).join(', ');
  const lost = unrecorded === 0 ? '' : ` ${unrecorded} passed without being recorded.`;
  return `Since this server started: ${seen === '' ? 'nobody came' : seen}. ${running} under way.${lost}`;
}
