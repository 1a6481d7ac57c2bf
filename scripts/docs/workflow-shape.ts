import type { Shape } from './shape.ts';

// As much of GitHub's schemas as .github/ uses: a field that is not here is a mistake, or belongs here.
const ANY_VALUE: Shape = { either: ['text', 'number', 'boolean'] };
const ENV: Shape = { values: ANY_VALUE };
const TEXTS: Shape = { list: 'text' };
const PERMISSIONS: Shape = { values: { oneOf: ['read', 'write', 'none'] } };

const STEP: Shape = {
  either: [
    { fields: { uses: 'text', 'name?': 'text', 'with?': ENV, 'env?': ENV } },
    { fields: { run: 'text', 'name?': 'text', 'shell?': { oneOf: ['bash', 'pwsh'] }, 'env?': ENV } },
  ],
};

const JOB: Shape = {
  fields: {
    'name?': 'text',
    'needs?': 'text',
    'runs-on': 'text',
    'timeout-minutes': 'number',
    'continue-on-error?': { either: ['boolean', 'text'] },
    'environment?': 'text',
    'permissions?': PERMISSIONS,
    'strategy?': { fields: { 'fail-fast': 'boolean', matrix: { values: { list: 'anything' } } } },
    steps: { list: STEP },
  },
};

/** A trigger without settings is null. */
const TRIGGER: Shape = {
  fields: {
    'push?': { fields: { 'branches?': TEXTS, 'tags?': TEXTS } },
    'pull_request?': { oneOf: [] },
    'workflow_dispatch?': { oneOf: [] },
    'schedule?': { list: { fields: { cron: 'text' } } },
  },
};

export const WORKFLOW: Shape = {
  fields: {
    name: 'text',
    on: TRIGGER,
    // Always said: otherwise a workflow gets whatever the repository's settings happen to allow.
    permissions: PERMISSIONS,
    'concurrency?': { fields: { group: 'text', 'cancel-in-progress': { either: ['boolean', 'text'] } } },
    jobs: { values: JOB },
  },
};

const UPDATE: Shape = {
  fields: {
    'package-ecosystem': { oneOf: ['npm', 'github-actions', 'docker'] },
    directory: 'text',
    schedule: { fields: { interval: { oneOf: ['daily', 'weekly', 'monthly'] } } },
    'open-pull-requests-limit?': 'number',
    'cooldown?': { fields: { 'default-days': 'number' } },
    'groups?': {
      values: {
        fields: {
          'dependency-type': { oneOf: ['development', 'production'] },
          'update-types': { list: { oneOf: ['major', 'minor', 'patch'] } },
        },
      },
    },
  },
};

export const DEPENDABOT: Shape = { fields: { version: { oneOf: [2] }, updates: { list: UPDATE } } };
