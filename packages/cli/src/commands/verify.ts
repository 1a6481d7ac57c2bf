import { applyRepairs, formatReport, planRepairs } from '@bough/store';
import type { Command } from '../command.ts';
import { STORE_OPTIONS } from '../connect/index.ts';
import { oneOf } from '../connect/names.ts';
import { withStore } from '../connect/store.ts';
import { verifyWithRaw } from '../connect/verify.ts';
import { printJson } from '../terminal/index.ts';

export const verify: Command = {
  name: 'verify',
  summary: 'Read a store whole and say what does not fit. Changes nothing unless told.',
  positionals: [{ name: 'project', optional: true }],
  options: { ...STORE_OPTIONS, repair: { description: 'apply the safe repairs' } },
  examples: ['bough verify', 'bough verify --store git --repair'],
  run: (input, terminal) =>
    withStore(input, terminal, async (store) => {
      const named = input.positional('project');
      const project =
        named === undefined
          ? {}
          : { project: oneOf('project', named, await store.listProjects(), ({ name }) => name).id };
      let report = await verifyWithRaw(store, project);
      const plan = input.flag('repair') ? planRepairs(report.findings) : [];
      const repairs = plan.length > 0 ? await applyRepairs(store, plan, { dryRun: false }) : [];
      if (plan.length > 0) report = await verifyWithRaw(store, project);
      if (input.flag('json')) printJson(terminal, { ...report, repairs });
      else terminal.write(`${plan.length > 0 ? `Applied ${plan.length} repair(s).\n` : ''}${formatReport(report)}`);
      return report.findings.some(({ severity }) => severity === 'error') ? 1 : 0;
    }),
};
