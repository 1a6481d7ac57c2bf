import type { ModelView, ProviderView } from '@bough/api';
import { UnknownIdError } from '@bough/core';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import { readTyped } from '../chat/lines.ts';
import type { Command, ExitCode } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { checkEndpoint } from '../doctor/endpoint.ts';
import { checkInstallation } from '../doctor/installation.ts';
import { costText, highestCost } from '../doctor/price.ts';
import type { Terminal } from '../terminal/index.ts';
import { printJson, startProgress, table } from '../terminal/index.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the installation, or a provider’s endpoint with small real conversations.',
  positionals: [{ name: 'provider', optional: true }],
  options: {
    model: { description: 'the model to check (default: the provider’s own)', value: 'id' },
    yes: { description: 'do not ask before spending money', short: 'y' },
    ...CONNECTION_OPTIONS,
  },
  examples: ['bough doctor', 'bough doctor simulated', 'bough doctor anthropic --model claude-sonnet-5-5 --yes'],
  run: async (input, terminal) => {
    const provider = input.positional('provider');
    return provider === undefined ? installation(input, terminal) : endpoint(provider, input, terminal);
  },
};

const NO_KEY = 'has no key. Set it in the environment or on the page.';
const NOT_READY: Readonly<Record<ProviderView['keySource'], string>> = {
  none: NO_KEY,
  environment: NO_KEY,
  stored: NO_KEY,
  not_needed: NO_KEY,
  other_address:
    'has a key for another address. Enter the key for this address on the page, or go back to the standard address.',
  unreadable: 'has a stored key that cannot be read: another key file sealed it. Enter the key again on the page.',
};

async function installation(input: Input, terminal: Terminal): Promise<ExitCode> {
  const checks = await checkInstallation(input, terminal);
  if (input.flag('json')) printJson(terminal, checks);
  else
    terminal.write(
      table(
        ['check', 'state', 'detail'],
        checks.map(({ name, state, detail }) => [name, state, detail]),
      ),
    );
  return checks.some(({ state }) => state === 'failed') ? 1 : 0;
}

async function endpoint(named: string, input: Input, terminal: Terminal): Promise<ExitCode> {
  return withConnection(input, terminal, 'no tools', async ({ client }) => {
    const { providers } = await client.listProviders();
    const provider = providers.find(({ id }) => id === named);
    if (provider === undefined) throw new UnknownIdError('provider', named);
    if (!provider.ready) throw new UsageError(`${provider.label} ${NOT_READY[provider.keySource]}`);
    const model = modelOf(provider, input.text('model'));
    if (!(await mayProceed(provider, model, input, terminal))) return 1;
    const progress = startProgress(terminal, `Checking ${provider.label}`, null);
    let done = 0;
    const { checks, cost } = await checkEndpoint({ client, provider, model }, ({ name }) =>
      progress.update((done += 1), name),
    ).finally(() => progress.end());
    if (input.flag('json')) printJson(terminal, { provider: provider.id, model: model.id, checks, cost });
    else {
      terminal.write(`${provider.label} at ${provider.baseUrl}, ${model.id}\n\n`);
      const rows = checks.map(({ name, endpoint: did, bough, difference, failed, seen }) => [
        failed ? 'FAILED' : seen ? 'ok' : '?',
        name,
        did,
        bough,
        difference ?? '',
      ]);
      terminal.write(table(['', 'check', 'the endpoint', 'Bough', 'difference'], rows));
      if (!provider.simulated) terminal.write(`\nSpent ${costText(cost)}.\n`);
    }
    return checks.some(({ failed }) => failed) ? 1 : 0;
  });
}

function modelOf(provider: ProviderView, named: string | undefined): ModelView {
  const wanted = named ?? provider.defaultModel;
  const found = provider.models.find(({ id }) => id === wanted);
  if (found === undefined) throw new UnknownIdError('model', wanted);
  return found;
}

/** Nobody pays without having been told how much, and asked. */
async function mayProceed(
  provider: ProviderView,
  model: ModelView,
  input: Input,
  terminal: Terminal,
): Promise<boolean> {
  if (provider.simulated || input.flag('yes')) return true;
  const sentence = `This sends about ten small requests to ${provider.label} (${model.id}) and costs at most ${costText(highestCost(model))}.`;
  if (!terminal.isInteractive) throw new UsageError(`${sentence} Add --yes to agree.`);
  terminal.warn(`${sentence} Go on? [y/N] `);
  const lines = readTyped(terminal.input);
  try {
    const answer = (await lines.next())?.trim().toLowerCase() ?? '';
    return answer === 'y' || answer === 'yes';
  } finally {
    lines.close();
  }
}
