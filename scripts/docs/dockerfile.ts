/** An instruction of a Dockerfile, its continued lines joined. */
export interface Instruction {
  readonly line: number;
  readonly name: string;
  readonly rest: string;
}

export function instructionsOf(text: string): readonly Instruction[] {
  const found: Instruction[] = [];
  let begun = 0;
  let joined = '';
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    if (joined === '') begun = index + 1;
    joined = `${joined} ${line.replace(/\\$/, '').trim()}`.trim();
    if (line.endsWith('\\')) continue;
    const [name = '', ...rest] = joined.split(' ');
    found.push({ line: begun, name: name.toUpperCase(), rest: rest.join(' ') });
    joined = '';
  }
  return found;
}

const SECRET = /(?:KEY|TOKEN|PASSWORD|SECRET)\w*=\S/;

/** What is wrong with a Dockerfile: the few rules that matter to this one. Empty if nothing is. */
export function dockerfileProblems(text: string): readonly string[] {
  const all = instructionsOf(text);
  const problems: string[] = [];
  const complain = ({ line }: { readonly line: number }, what: string): void => {
    problems.push(`line ${line}: ${what}`);
  };
  const values = new Map(all.flatMap(({ name, rest }) => (name === 'ARG' ? [pairOf(rest)] : [])));
  const stages: string[] = [];
  for (const each of all) {
    const { name, rest } = each;
    if (name === 'FROM') {
      const [image = '', , stage] = rest.replace(/^--platform=\S+ /, '').split(' ');
      const named = image.replaceAll(/\$\{(\w+)\}/g, (_, arg: string) => values.get(arg) ?? '');
      if (!/:\d/.test(named)) complain(each, `${named} has no version`);
      stages.push(stage ?? '');
    }
    const from = name === 'COPY' ? /--from=(\S+)/.exec(rest)?.[1] : undefined;
    if (from !== undefined && !stages.slice(0, -1).includes(from)) complain(each, `there is no stage ${from} before`);
    if (name === 'ADD') complain(each, 'ADD fetches and unpacks: COPY does what is meant');
    if (name === 'RUN' && /\b(?:curl|wget|sudo)\b/.test(rest)) complain(each, 'fetches what nobody checks');
    if (name === 'RUN' && /npm (?:ci|install)/.test(rest) && !rest.includes('--ignore-scripts'))
      complain(each, 'runs install scripts');
    if ((name === 'ENTRYPOINT' || name === 'CMD') && !rest.startsWith('['))
      complain(each, 'a shell in between would keep signals from the program');
    if ((name === 'ENV' || name === 'ARG') && SECRET.test(rest)) complain(each, 'a secret in an image is none');
  }
  const last = all.slice(all.findLastIndex(({ name }) => name === 'FROM'));
  const user = last.findLast(({ name }) => name === 'USER');
  if (user === undefined || /^(?:root|0)\b/.test(user.rest)) problems.push('the program would run as root');
  for (const needed of ['HEALTHCHECK', 'ENTRYPOINT', 'VOLUME', 'EXPOSE'])
    if (!last.some(({ name }) => name === needed)) problems.push(`the image has no ${needed}`);
  if (stages.length < 2) problems.push('what only building needs would be in the image');
  return problems;
}

function pairOf(text: string): readonly [string, string] {
  const [name = '', value = ''] = text.split('=');
  return [name, value];
}
