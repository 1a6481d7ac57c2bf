import { expect, test } from 'vitest';
import { neighbourlyId, randomIds } from './index.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NOON = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const firstByte = (id: string): string => id.slice(0, 2);

test('ID-1: an id is a UUID, and two of the same moment differ in the letters by which people call them', () => {
  const made = Array.from({ length: 1_000 }, () => neighbourlyId(NOON));
  for (const id of made) expect(id).toMatch(UUID);
  // Twenty-four random bits: among a thousand ids a single collision is rare, and fifty do not happen.
  expect(new Set(made.map((id) => id.slice(0, 8))).size).toBeGreaterThan(950);
  expect(new Set(made).size).toBe(made.length);
});

test('ID-1: ids that are made together begin alike, and over a day every beginning comes', () => {
  expect(new Set(Array.from({ length: 100 }, () => firstByte(neighbourlyId(NOON))))).toHaveLength(1);
  const ofAnHour = Array.from({ length: 60 }, (_, minute) => firstByte(neighbourlyId(NOON + minute * MINUTE)));
  expect(new Set(ofAnHour).size).toBeGreaterThanOrEqual(13);
  expect(new Set(ofAnHour).size).toBeLessThanOrEqual(15);
  const ofADay = Array.from({ length: 24 * 60 }, (_, minute) => firstByte(neighbourlyId(NOON + minute * MINUTE)));
  expect(new Set(ofADay)).toHaveLength(256);
  expect(firstByte(neighbourlyId(NOON + 2 * HOUR))).not.toBe(firstByte(neighbourlyId(NOON)));
});

test('ID-1: nodes, turns, calls and branches get such ids; those of projects are random throughout', () => {
  const made = [randomIds.node(), randomIds.turn(), randomIds.call(), randomIds.branch()];
  for (const id of [...made, randomIds.project()]) expect(id).toMatch(UUID);
  // Four ids made at one moment; the next slot may begin between two of them.
  expect(new Set(made.map(firstByte)).size).toBeLessThanOrEqual(2);
  const projects = Array.from({ length: 200 }, () => firstByte(randomIds.project()));
  expect(new Set(projects).size).toBeGreaterThan(50);
});
