import { describe, expect, test } from 'vitest';
import { decodeRunningStatus, decodeServerDetail } from './decode-status.ts';
import type { RunningStatus, ServerDetail } from './running-status.ts';

const detail: ServerDetail = {
  ...{
    id: 'files',
    transport: 'stdio',
    source: 'global',
    enabled: true,
    state: 'error',
    tools: 1,
    calls: 2,
    underWay: 0,
  },
  ...{ p50Ms: 3, note: 'it died', next: 'edit a.json:1', configured: 'a.json:1' },
  settings: [{ key: 'command', value: 'node', place: 'a.json:2' }],
  ...{ where: 'pid 5', protocolVersion: '2025-11-25', era: 'legacy', serverInfo: 'files 1.0' },
  lastError: { code: 'PROCESS_EXITED', message: 'it died', at: 7 },
  ...{ lastWords: ['bye'], lastConnectedAt: 6, restarts: 1, prompts: 0, resources: 0 },
  toolList: [{ name: 'a', publicName: 'files__a', badges: ['read-only'], hidden: 'denied', rewrites: ['r'] }],
  leftOut: [{ name: 'b', reason: 'no schema' }],
  remarks: ['not whole'],
};
const { configured: _c, settings: _s, where: _w, protocolVersion: _p, era: _e, serverInfo: _i, ...most } = detail;
const { lastError: _l, lastWords: _lw, lastConnectedAt: _a, restarts: _r, prompts: _pr, ...rest } = most;
const { resources: _re, toolList: _t, leftOut: _lo, remarks: _rm, ...summary } = rest;

const running: RunningStatus = {
  ...{ v: 1, role: 'gateway', pid: 5, version: '0.1.0', startedAt: 1, cwd: '/p', configFile: '/p/a.json' },
  ...{ clients: ['codex 1'], servers: [summary], problems: ['p'] },
};

/** The status as received over a socket. */
function sent(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document));
}

describe('a status response', () => {
  test('is decoded completely', () => {
    expect([decodeRunningStatus(sent(running), 5), decodeServerDetail(sent(detail), 5)]).toEqual([running, detail]);
  });

  test('may lack optional members', () => {
    const { configFile: _, ...bare } = running;
    const { note: _n, next: _x, p50Ms: _md, ...quiet } = summary;
    const broken = { ...quiet, transport: undefined };
    expect(decodeRunningStatus(sent({ ...bare, servers: [broken] }), 5)).toEqual({ ...bare, servers: [broken] });
  });

  test('of a codex server contains its sessions', () => {
    const sessions = [{ id: 's', state: 'idle', cwd: '/p', title: 't', questions: 0 }];
    const codex = { ...running, role: 'codex', servers: [], sessions };
    expect(decodeRunningStatus(sent(codex), 5)).toEqual(codex);
  });

  test('of a gateway over HTTP contains its counts', () => {
    const counts = { connections: 1, sessions: 2, modernClients: 3, requests: 4, streams: 5 };
    const http = { ...counts, refused: { 429: 6 } };
    const gateway = { ...running, url: 'http://127.0.0.1:1/mcp', http };
    expect(decodeRunningStatus(sent(gateway), 5)).toEqual(gateway);
    for (const refused of [undefined, 5, { 429: 'x' }, [null]])
      expect(() => decodeRunningStatus(sent({ ...gateway, http: { ...counts, refused } }), 5)).toThrow('refused');
  });

  test('has the pid of the queried process, whatever it claims', () => {
    expect(decodeRunningStatus(sent({ ...running, pid: 1 }), 5).pid).toBe(5);
  });

  test('may contain unknown members, which are dropped', () => {
    expect(decodeRunningStatus(sent({ ...running, later: true }), 5)).toEqual(running);
  });

  test.each([
    ['nothing', null, 'an object'],
    ['an array', [], 'an object'],
    ['another version', { ...running, v: 2 }, 'v'],
    ['an unknown role', { ...running, role: 'boss' }, 'role'],
    ['an invalid time', { ...running, startedAt: 'now' }, 'startedAt'],
    ['clients that are not strings', { ...running, clients: [1] }, 'clients'],
    ['servers that are not an array', { ...running, servers: {} }, 'servers'],
    ['an unknown state', { ...running, servers: [{ ...summary, state: 'fine' }] }, 'state'],
    ['a server without an id', { ...running, servers: [{ ...summary, id: undefined }] }, 'id'],
    ['a non-boolean enabled', { ...running, servers: [{ ...summary, enabled: 'yes' }] }, 'enabled'],
    ['a note that is not a string', { ...running, servers: [{ ...summary, note: 1 }] }, 'note'],
  ])('is rejected with its process and the invalid member: %s', (_, answer, key) => {
    expect(() => decodeRunningStatus(sent(answer), 4711)).toThrow(
      expect.objectContaining({ code: 'BAD_ANSWER', message: expect.stringMatching(`^Process 4711 .*\\(${key}\\)`) }),
    );
  });

  test.each([
    ['tools', { ...detail, toolList: [{ name: 'a' }] }, 'badges'],
    ['an error', { ...detail, lastError: { code: 'X' } }, 'message'],
    ['a setting', { ...detail, settings: ['a'] }, 'an object'],
    ['an era', { ...detail, era: 'ice' }, 'era'],
  ])('is rejected if a detail is invalid: %s', (_, answer, key) => {
    expect(() => decodeServerDetail(sent(answer), 4711)).toThrow(
      expect.objectContaining({ code: 'BAD_ANSWER', message: expect.stringContaining(`(${key})`) }),
    );
  });
});
