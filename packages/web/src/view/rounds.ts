import type { RoundView } from '@bough/api/client';
import type { MessageKey, Translator } from '../i18n/later/index.ts';
import { formatCost, formatNumber } from './format.ts';

/** Cells in the page at most, about: a page of the table has fewer questions the more answers each has. */
const MOST_CELLS = 200;
const MOST_QUESTIONS = 50;
const FEWEST_QUESTIONS = 5;

/** How many questions are shown at once: two hundred questions to four models, five times each, are 4,000 answers. */
export function questionsAtOnce({ targets, samples }: Pick<RoundView, 'targets' | 'samples'>): number {
  const fitting = Math.floor(MOST_CELLS / Math.max(1, targets.length * samples));
  return Math.min(MOST_QUESTIONS, Math.max(FEWEST_QUESTIONS, fitting));
}

export const stateKey = ({ state }: Pick<RoundView, 'state'>): MessageKey => `rounds.state.${state}`;

export function progressText({ complete, failed, answers }: RoundView, t: Translator): string {
  const done = formatNumber(complete + failed, t.locale);
  const all = t('rounds.progress', { done, all: formatNumber(answers, t.locale) });
  return failed === 0 ? all : `${all} · ${t('rounds.failed', { count: formatNumber(failed, t.locale) })}`;
}

export function spentText({ spent, limit }: RoundView, t: Translator): string {
  return t('rounds.spentOf', { spent: formatCost(spent, t.locale), limit: formatCost(limit, t.locale) });
}

export const modelsText = ({ targets }: RoundView): string => targets.map(({ label }) => label).join(', ');

/** An amount that a person typed; null if it is none. */
export function amountOf(typed: string): number | null {
  const text = typed.trim().replace(/^\$/, '').replace(',', '.');
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

/** A whole number within limits that a person typed; null if it is none. */
export function wholeOf(typed: string, least: number, most: number): number | null {
  const value = Number(typed);
  return typed.trim() !== '' && Number.isInteger(value) && value >= least && value <= most ? value : null;
}
