import { expect, test } from 'vitest';
import { checkHostOptions } from './check-options.ts';

test.each([
  ['nothing at all', null, 'createHost takes an object with options, or nothing.'],
  ['an option that is written wrong', { permision: {} }, 'createHost has no option "permision".'],
  ['a name from the prototype', { constructor: 1 }, 'createHost has no option "constructor".'],
  ['a config that is neither file nor object', { config: 5 }, 'The option config of createHost must be the path'],
  ['an empty path', { config: '' }, 'The option config of createHost must be the path'],
  ['a server instead of a list', { only: 'one' }, 'The option only of createHost must be a list of ids of servers'],
  ['a list of nothing', { only: [] }, 'with at least one in it.'],
  ['a limit below all sense', { maxResultBytes: 5 }, 'maxResultBytes of createHost must be a whole number of bytes'],
  ['a root without an address', { roots: [{}] }, 'must be a list of roots, each with a uri.'],
  ['roots that are no list', { roots: 'file:///a' }, 'must be a list of roots, each with a uri.'],
  [
    'roots that are no folders',
    { roots: [{ uri: '/home/me' }, { uri: 'file:///a' }, { uri: 'https://b/\u001b[2J' }, { uri: 'file://[' }] },
    'must be a list of roots with file:// addresses, and not "/home/me", "https://b/\\u001b[2J", "file://[": pathToFileURL of node:url makes one of a path.',
  ],
  ['a level that there is not', { logLevel: 'loud' }, 'must be one of debug, info, warn, error.'],
  ['no function', { signIn: true }, 'The option signIn of createHost must be a function.'],
])('%s is refused by its name', (_, options, message) => {
  expect(() => checkHostOptions(options)).toThrow(message);
});

test('what is right, left out or undefined is taken', () => {
  checkHostOptions({});
  checkHostOptions({ roots: [] });
  checkHostOptions({ roots: [{ uri: 'file:///home/me/a%20b', name: 'b' }, { uri: 'FILE:///c' }] });
  checkHostOptions({ config: undefined, signIn: undefined, only: undefined });
});
