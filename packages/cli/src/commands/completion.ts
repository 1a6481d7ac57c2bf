import type { OptionSpecs } from '../arguments/index.ts';
import { COMMON_OPTIONS, UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { printJson } from '../terminal/index.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The list is passed in: it holds this command too. */
export function completionOf(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Print a completion script for a shell.',
    positionals: [{ name: 'shell' }],
    options: {},
    examples: ['source <(bough completion bash)', 'bough completion fish > ~/.config/fish/completions/bough.fish'],
    run: async (input, terminal) => {
      const shell = SHELLS.find((known) => known === input.required('shell'));
      if (shell === undefined) throw new UsageError(`Use one of ${SHELLS.join(', ')}.`);
      const script = SCRIPTS[shell](commands());
      if (input.flag('json')) printJson(terminal, { shell, script });
      else terminal.write(script);
      return 0;
    },
  };
}

const flagsOf = (options: OptionSpecs): readonly string[] =>
  Object.keys({ ...options, ...COMMON_OPTIONS }).map((name) => `--${name}`);

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (commands: readonly Command[]) => string>> = {
  bash: (commands) => `_bough() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_CWORD}:\${COMP_WORDS[1]}" in
    1:*) COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$current")) ;;
${commands.map(({ name, options }) => `    *:${name}) COMPREPLY=($(compgen -f -W "${flagsOf(options).join(' ')}" -- "$current")) ;;`).join('\n')}
  esac
}
complete -o filenames -F _bough bough
`,
  zsh: (commands) => `#compdef bough
_bough() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, summary }) => `      ${single(`${name}:${summary}`)}`).join('\n')}
    )
    _describe command commands
    return
  fi
  case "$words[2]" in
${commands.map(({ name, options }) => `    ${name}) compadd -- ${flagsOf(options).join(' ')}; _files ;;`).join('\n')}
  esac
}
compdef _bough bough
`,
  fish: (commands) =>
    `${commands
      .flatMap(({ name, summary, options }) => [
        `complete -c bough -n __fish_use_subcommand -f -a ${name} -d ${single(summary)}`,
        ...Object.entries({ ...options, ...COMMON_OPTIONS }).map(
          ([flag, { description, value }]) =>
            `complete -c bough -n '__fish_seen_subcommand_from ${name}' -l ${flag}${value === undefined ? '' : ' -r'} -d ${single(description)}`,
        ),
      ])
      .join('\n')}\n`,
};

function single(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
