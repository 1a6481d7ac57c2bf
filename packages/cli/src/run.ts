import { ApiError } from '@bough/api';
import { BoughError } from '@bough/core';
import { systemTrouble } from '@bough/server';
import { helpOf, overview, readInput, UsageError } from './arguments/index.ts';
import type { Command, ExitCode } from './command.ts';
import { ask } from './commands/ask.ts';
import { branch } from './commands/branch.ts';
import { canvas } from './commands/canvas.ts';
import { chat } from './commands/chat.ts';
import { choose } from './commands/choose.ts';
import { compact } from './commands/compact.ts';
import { merge } from './commands/merge.ts';
import { completionOf } from './commands/completion.ts';
import { context } from './commands/context.ts';
import { dataset } from './commands/dataset.ts';
import { doctor } from './commands/doctor.ts';
import { edit } from './commands/edit.ts';
import { exportCommand } from './commands/export.ts';
import { budgets } from './commands/budgets.ts';
import { costs } from './commands/costs.ts';
import { gateway } from './commands/gateway.ts';
import { graph } from './commands/graph.ts';
import { importCommand } from './commands/import.ts';
import { log } from './commands/log.ts';
import { ls } from './commands/ls.ts';
import { move } from './commands/move.ts';
import { question } from './commands/question.ts';
import { raw } from './commands/raw.ts';
import { regenerate } from './commands/regenerate.ts';
import { rename } from './commands/rename.ts';
import { rm } from './commands/rm.ts';
import { runCommand } from './commands/run.ts';
import { runSet } from './commands/run-set.ts';
import { search } from './commands/search.ts';
import { serve } from './commands/serve.ts';
import { show } from './commands/show.ts';
import { trash } from './commands/trash.ts';
import { judge } from './commands/judge.ts';
import { note } from './commands/note.ts';
import { star } from './commands/star.ts';
import { trust } from './commands/trust.ts';
import { beside } from './commands/beside.ts';
import { upgradeData } from './commands/upgrade-data.ts';
import { verify } from './commands/verify.ts';
import type { Surroundings } from './terminal/index.ts';
import { colours, printJson, terminalIn } from './terminal/index.ts';
import { version } from './version.ts';

export const COMMANDS: readonly Command[] = [
  serve,
  chat,
  runCommand,
  gateway,
  budgets,
  costs,
  ls,
  search,
  show,
  log,
  graph,
  branch,
  edit,
  regenerate,
  ask,
  runSet,
  context,
  choose,
  compact,
  merge,
  question,
  star,
  canvas,
  note,
  judge,
  raw,
  rename,
  rm,
  trash,
  importCommand,
  exportCommand,
  dataset,
  move,
  verify,
  upgradeData,
  beside,
  doctor,
  trust,
  completionOf(() => COMMANDS),
];

/** The helpful option, added to a refusal from a package that knows no command line. */
const HINTS: Readonly<Record<string, string>> = {
  import_stopped: ' With --on-error skip the rest is.',
  directory_not_empty: ' Name a new directory with --out.',
  over_budget: ' With --over-budget it is sent nevertheless.',
};

/** One command line from its words to its exit code. Touches the process only through the terminal. */
export async function run(words: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const terminal = terminalIn(surroundings);
  const wantsJson = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined).includes('--json');
  try {
    const [first = 'serve', ...rest] = words;
    if (first === '--help' || first === '-h' || first === 'help') {
      terminal.write(overview(COMMANDS));
      return 0;
    }
    if (first === '--version' || first === '-V') {
      if (wantsJson) printJson(terminal, { version: version() });
      else terminal.write(`${version()}\n`);
      return 0;
    }
    // `bough --port 8080` serves, as `bough` alone does.
    const named = first.startsWith('-') ? 'serve' : first;
    const command = COMMANDS.find(({ name }) => name === named);
    if (command === undefined) throw new UsageError(`There is no command "${named}". \`bough --help\` lists them.`);
    const input = readInput(command, first.startsWith('-') ? words : rest);
    if (input.flag('help')) {
      terminal.write(helpOf(command));
      return 0;
    }
    return await command.run(input, terminal);
  } catch (caught) {
    const error = systemTrouble(caught) ?? caught;
    if (!(error instanceof BoughError || error instanceof ApiError)) throw caught;
    const message = `${error.message}${HINTS[error.code] ?? ''}`;
    if (wantsJson) printJson(terminal, { error: { code: error.code, message } });
    else terminal.warn(`${colours(terminal).red('bough:')} ${message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}
