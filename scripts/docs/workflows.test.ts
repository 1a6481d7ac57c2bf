import { isPlainObject } from '@bough/core';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from './run-document.ts';
import { misfits } from './shape.ts';
import { DEPENDABOT, WORKFLOW } from './workflow-shape.ts';

const FOLDER = join(ROOT, '.github', 'workflows');
const NAMES = readdirSync(FOLDER);
const textOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** As GitHub reads it: a trigger without settings is not there at all. */
function read(text: string): unknown {
  const value: unknown = parse(text);
  if (!isPlainObject(value) || !isPlainObject(value['on'])) return value;
  const on = Object.fromEntries(Object.entries(value['on']).filter(([, settings]) => settings !== null));
  return { ...value, on };
}

const stepsOf = (text: string): readonly Step[] =>
  Object.values((read(text) as Workflow).jobs).flatMap(({ steps }) => steps);

describe.each(NAMES)('.github/workflows/%s', (name) => {
  const text = textOf(name);

  it('has the shape of a workflow', () => {
    expect(misfits(read(text), WORKFLOW)).toEqual([]);
  });

  it('gives no more rights than each job needs, and keeps none for later steps', () => {
    const { permissions } = read(text) as Workflow;
    expect(permissions).toEqual({ contents: 'read' });
    for (const { uses, with: settings } of stepsOf(text))
      if (uses?.startsWith('actions/checkout@') === true) expect(settings?.['persist-credentials']).toBe(false);
  });

  it('runs no text of a stranger as a command', () => {
    // What an expression yields becomes part of the script: a branch may be called `$(…)`.
    for (const { run } of stepsOf(text)) expect(run ?? '').not.toContain('${{');
  });

  it('uses every action at one commit, with its version beside it, as dependency updates read and write it', () => {
    // A tag can be moved to another commit, by whoever takes over the account that it belongs to.
    const uses = [...text.matchAll(/uses: (.*)$/gm)].map(([, action = '']) => action);
    expect(uses).toHaveLength(stepsOf(text).filter((step) => step.uses !== undefined).length);
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('calls only scripts, jobs and settings of the matrix that are there', () => {
    const { jobs } = read(text) as Workflow;
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly scripts: object };
    for (const { needs, strategy, steps } of Object.values(jobs)) {
      if (needs !== undefined) expect(Object.keys(jobs)).toContain(needs);
      const included = strategy?.matrix['include']?.filter(isPlainObject).flatMap((each) => Object.keys(each)) ?? [];
      const known = [...Object.keys(strategy?.matrix ?? {}), ...included];
      for (const [, used = ''] of JSON.stringify(steps).matchAll(/matrix\.(\w+)/g)) expect(known).toContain(used);
    }
    for (const { run = '', with: settings } of stepsOf(text)) {
      for (const [, script = ''] of run.matchAll(/npm run (\S+)/g)) expect(scripts).toHaveProperty([script]);
      for (const [path] of run.matchAll(/(?:\.ci|scripts)\/[\w./-]+/g))
        expect(existsSync(join(ROOT, path)), path).toBe(true);
      if (settings?.['file'] !== undefined)
        expect(existsSync(join(ROOT, JSON.stringify(settings['file']).slice(1, -1)))).toBe(true);
    }
  });
});

describe('.github/', () => {
  it('runs every check on Linux with each Node that is promised, on macOS and on Windows', () => {
    const { check } = (read(textOf('ci.yaml')) as Workflow).jobs;
    expect(check?.steps.map(({ run }) => run)).toContain('.ci/run');
    const { os = [], node = [], include = [] } = check?.strategy?.matrix ?? {};
    expect([os, node]).toEqual([['ubuntu-latest'], [20, 22, 24]]);
    const others = include.filter(isPlainObject).map((each) => String(each['os']));
    expect(others).toEqual(expect.arrayContaining(['macos-latest', 'macos-15-intel', 'windows-latest']));
  });

  it('releases only what was checked, with its provenance, its changes and its parts list', () => {
    const { jobs } = read(textOf('release.yaml')) as Workflow;
    for (const [name, { needs }] of Object.entries(jobs)) if (name !== 'check') expect(needs).toBe('check');
    expect(jobs['publish']?.permissions).toMatchObject({ 'id-token': 'write' });
    const commands = jobs['publish']?.steps.map(({ run = '' }) => run).join('\n') ?? '';
    for (const step of ['notes.mjs', 'npm sbom', 'publish.mjs', 'gh release create']) expect(commands).toContain(step);
    expect(readFileSync(join(ROOT, 'scripts', 'release', 'publish.mjs'), 'utf8')).toContain('--provenance');
    // A registry refuses a name with capitals, which the owner of a fork may have.
    expect(JSON.stringify(jobs['image'])).not.toMatch(/"tags":"[^"]*github\.repository/);
  });

  it('looks for new versions of everything that is depended on', () => {
    const settings: unknown = parse(readFileSync(join(ROOT, '.github', 'dependabot.yaml'), 'utf8'));
    expect(misfits(settings, DEPENDABOT)).toEqual([]);
  });

  it('would be refused with a field that GitHub does not know', () => {
    const broken = textOf('ci.yaml').replace('timeout-minutes: 60', 'timeout: 60');
    expect(misfits(read(broken), WORKFLOW)).toEqual([
      'jobs.check.timeout-minutes is missing',
      'jobs.check.timeout is not known',
    ]);
  });
});
