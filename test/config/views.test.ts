import { describe, expect, test } from 'vitest';
import { type LoadOptions, loadConfig } from '../../src/config/load-config.ts';
import { acceptReview, reviewProject } from '../../src/config/trust/trust-review.ts';
import { selectLimits, type ViewSelection } from '../../src/config/views/select-view.ts';
import { createView } from '../../src/config/views/view.ts';
import { verifies } from '../verifies.ts';
import { type Folder, useFolders } from './folder.ts';

const newFolder = useFolders();
const GLOBAL = 'home/.config/switchboard/config.json';
const PROJECT = 'project/.switchboard/config.json';
const SERVERS = { one: { command: 'one' }, two: { command: 'two' }, three: { command: 'three' } };

const own = (views: unknown, servers: object = SERVERS) => ({ version: 1, mcp: { servers }, views });

/** Returns the servers that a view shows. */
async function shown(options: LoadOptions, selection: ViewSelection): Promise<readonly string[]> {
  const view = createView(selectLimits(await loadConfig(options), selection));
  return Object.keys(SERVERS).filter(view.showsServer);
}

async function problems(folder: Folder): Promise<readonly string[]> {
  const config = await loadConfig(folder.testEnvironment());
  return config.problems.map(({ file, line, message }) => `${file.replace(`${folder.path}/`, '')}:${line}: ${message}`);
}

describe('an invalid view', () => {
  test.each([
    [{ review: 7 }, 'views.review must be an object, but is a number.'],
    [{ review: { servers: 'one' } }, 'views.review.servers must be a list, but is a string.'],
    [{ review: { servers: [1] } }, 'views.review.servers[0] must be a string, but is a number.'],
    [{ review: { servers: [''] } }, 'views.review.servers[0] may not be empty.'],
    [{ review: { server: ['one'] } }, 'views.review.server is not a known key of a view. Did you mean "servers"?'],
    [{ review: { tools: ['a'] } }, 'views.review.tools must be an object, but is a list.'],
    [
      { review: { tools: { alow: [] } } },
      'views.review.tools.alow is not a known key of a view. Did you mean "allow"?',
    ],
    [{ review: { hide: 1 } }, 'views.review.hide is not a known key of a view. The keys are servers and tools.'],
  ])('%j is reported and cannot be used', async (views, message) => {
    const folder = newFolder();
    folder.write(GLOBAL, own(views));
    expect(await problems(folder)).toEqual([expect.stringMatching(/^home\S+:\d+: /)]);
    expect((await problems(folder))[0]).toContain(message);
    await expect(shown(folder.testEnvironment(), { view: 'review' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(message),
    });
  });

  verifies('views:errors:location', 'is reported with its file and line, and does not affect the others', async () => {
    const folder = newFolder();
    folder.write(
      GLOBAL,
      `{ "version": 1, "mcp": { "servers": ${JSON.stringify(SERVERS)} },
  "views": {
    "good": { "servers": ["one"] },
    "bad": {
      "tools": { "allow": ["one.*"],
                 "denied": [] }
    },
    "twice": {},
    "twice": {},
    "a b": {}
  }
}`,
    );
    expect(await problems(folder)).toEqual([
      `${GLOBAL}:10: views["a b"] is left out: an id must have 1 to 64 characters: letters, digits, _ or -.`,
      `${GLOBAL}:6: views.bad.tools.denied is not a known key of a view. The keys are allow and deny.`,
      `${GLOBAL}:8: The view "twice" appears more than once, in lines 8 and 9: keep one.`,
    ]);
    expect(await shown(folder.testEnvironment(), { view: 'good' })).toEqual(['one']);
  });

  test('views that are not an object leave the servers usable', async () => {
    const folder = newFolder();
    folder.write(GLOBAL, own([]));
    const { servers } = await loadConfig(folder.testEnvironment());
    expect([servers.length, await problems(folder)]).toEqual([
      3,
      [expect.stringContaining('views must be an object, but is a list.')],
    ]);
  });
});

test('names of servers that do not exist, and patterns that match none, are problems with their lines', async () => {
  const folder = newFolder();
  folder.write(
    GLOBAL,
    `{ "version": 1, "mcp": { "servers": ${JSON.stringify(SERVERS)} },
  "views": { "review": {
    "servers": ["one",
                "tow"],
    "tools": { "allow": ["one.read", "read_*", "*"],
               "deny": ["four.*"] } } } }`,
  );
  expect(await problems(folder)).toEqual([
    `${GLOBAL}:4: views.review.servers[1]: there is no server tow. Did you mean two?`,
    `${GLOBAL}:5: views.review.tools.allow[1]: no server has a tool that matches "read_*". Patterns have the form server.tool.`,
    `${GLOBAL}:6: views.review.tools.deny[0]: no server has a tool that matches "four.*". Patterns have the form server.tool.`,
  ]);
  expect(await shown(folder.testEnvironment(), { view: 'review' })).toEqual(['one']);
});

describe('the views of several files', () => {
  const TRUST = { SWITCHBOARD_TRUST_PROJECT: '1' };

  verifies('views:trust:narrows-only', 'a project narrows a view once it is trusted, and never widens it', async () => {
    const folder = newFolder();
    folder.write(GLOBAL, own({ review: { servers: ['one', 'two'] }, mine: { servers: ['one'] } }));
    const file = folder.write(PROJECT, own({ review: { servers: ['two', 'three'] }, mine: {}, ours: {} }, {}));
    const options = folder.testEnvironment();
    const views = async () => {
      const names = ['review', 'mine', 'ours'];
      return Promise.all(names.map((view) => shown(options, { view }).catch(({ code }) => code)));
    };
    expect(await views()).toEqual([['one', 'two'], ['one'], 'DENIED']);
    expect(await problems(folder)).toEqual(
      ['review', 'mine', 'ours'].map((name) =>
        expect.stringContaining(
          `The view "${name}" is untrusted and has no effect. To trust it, run switchboard trust`,
        ),
      ),
    );
    acceptReview(reviewProject({ ...options, dir: options.cwd }), options);
    expect([await views(), await problems(folder)]).toEqual([[['two'], ['one'], ['one', 'two', 'three']], []]);
    folder.write(PROJECT, own({ review: { servers: ['one'] } }, {}));
    expect(await problems(folder)).toEqual([expect.stringContaining(file.replace(`${folder.path}/`, ''))]);
    expect(await shown(options, { view: 'review' })).toEqual(['one', 'two']);
  });

  test('a broken view of a project that nobody has trusted changes nothing', async () => {
    const folder = newFolder();
    folder.write(GLOBAL, own({ review: { servers: ['one'] } }));
    folder.write(PROJECT, own({ review: { servers: 1 } }, {}));
    expect(await shown(folder.testEnvironment(), { view: 'review' })).toEqual(['one']);
    await expect(shown(folder.testEnvironment(TRUST), { view: 'review' })).rejects.toThrow('must be a list');
  });

  test('only our own dialect has views, also in an explicit file', async () => {
    const folder = newFolder();
    const file = folder.write('a.json', own({ review: { servers: ['one'] } }));
    const options = { ...folder.testEnvironment(), explicitFiles: [file] };
    expect(await shown(options, { view: 'review' })).toEqual(['one']);
    folder.write('a.json', { mcpServers: SERVERS, views: { review: {} } });
    await expect(shown(options, { view: 'review' })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('an unknown view', () => {
  test('suggests a name', async () => {
    const folder = newFolder();
    folder.write(GLOBAL, own({ review: {} }));
    await expect(shown(folder.testEnvironment(), { view: 'reviwe' })).rejects.toThrow('Did you mean review?');
    await expect(shown(folder.testEnvironment(), { view: 'x' })).rejects.toThrow('The config has: review.');
  });

  test('may be in a file that cannot be read', async () => {
    const folder = newFolder();
    folder.write(GLOBAL, '{');
    await expect(shown(folder.testEnvironment(), { view: 'x' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('Until it can be read, it is unknown whether it has the view x.'),
    });
  });
});
