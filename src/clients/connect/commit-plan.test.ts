import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryHomes } from '../../../test/temporary-folder.ts';
import { commitPlan, type PlannedFile } from './commit-plan.ts';
import { openConnections } from './connections.ts';
import { jsonFormat } from './format/json-format.ts';
import { planConnect } from './plan-connect.ts';
import { findTarget } from './targets.ts';

const newHome = useTemporaryHomes();

/** Changes the file after each of the first `edits` plans, as another program would. */
function open({ edits }: { readonly edits: number }) {
  const environment = newHome();
  const file = join(environment.home, 'mcp.json');
  const target = findTarget('cursor');
  if (target === undefined) throw new Error('cursor is unknown');
  writeFileSync(file, '{ "count": 0 }');
  let count = 0;
  const planned: PlannedFile = {
    target,
    file,
    format: jsonFormat,
    makePlan(state) {
      const plan = planConnect(state, { entries: { switchboard: { command: 'x', args: [] } }, disabled: [] });
      if (count < edits) writeFileSync(file, `{ "count": ${++count} }`);
      return plan;
    },
  };
  return { planned, file, store: openConnections(environment) };
}

test('an edit of another program between reading and writing is kept', () => {
  const { planned, file, store } = open({ edits: 3 });
  commitPlan(planned, store);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    count: 3,
    mcpServers: { switchboard: { command: 'x', args: [] } },
  });
  expect(store.readAll()).toHaveLength(1);
});

test('a file that keeps changing is left alone, and nothing is recorded', () => {
  const { planned, file, store } = open({ edits: 100 });
  expect(() => commitPlan(planned, store)).toThrow(/keeps changing\. Close Cursor/);
  expect(readFileSync(file, 'utf8')).toBe('{ "count": 5 }');
  expect(store.readAll()).toEqual([]);
});
