import { expect, test } from 'vitest';
import { SlotSet, type Slotted } from './slot-set.ts';

const member = (): Slotted => ({ slot: 0 });

test('contains the members that were added and not deleted', () => {
  const set = new SlotSet();
  const [first, second, third] = [member(), member(), member()];
  for (const each of [first, second, third]) set.add(each);
  set.delete(second);
  expect([set.size, set.has(first), set.has(second), set.has(third)]).toEqual([2, true, false, true]);
  expect([...set]).toEqual([first, third]);
});

test('gives the slot of a deleted member to the next one', () => {
  const set = new SlotSet();
  const [first, second, next] = [member(), member(), member()];
  set.add(first);
  set.add(second);
  set.delete(first);
  set.add(next);
  expect([...set]).toEqual([next, second]);
  expect(set.has(first)).toBe(false);
});

test('ignores the deletion of an object that is not a member', () => {
  const set = new SlotSet();
  const [only, other] = [member(), member()];
  set.add(only);
  set.delete(other);
  expect([...set]).toEqual([only]);
  set.delete(only);
  set.delete(only);
  set.add(other);
  expect([set.size, ...set]).toEqual([1, other]);
});

test('members can be deleted during iteration', () => {
  const set = new SlotSet();
  const members = Array.from({ length: 5 }, member);
  for (const each of members) set.add(each);
  const visited: Slotted[] = [];
  for (const each of set) {
    visited.push(each);
    set.delete(each);
  }
  expect(visited).toEqual(members);
  expect(set.size).toBe(0);
});
