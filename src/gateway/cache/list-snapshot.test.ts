import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { useTemporaryFolders } from '../../../test/temporary-folder.ts';
import { readFileSignature } from '../../base/files/file-signature.ts';
import { readListSnapshot, writeListSnapshot } from './list-snapshot.ts';

const newFolder = useTemporaryFolders();
let base: string;
beforeEach(() => {
  base = newFolder();
});

const RESULT = '{"tools":[{"name":"a\u2028é"}]}';

const ANSWERS = { result: RESULT, instructions: 'Read me', capabilities: { tasks: {} } };

const stamp = (...files: string[]) => files.map((file) => ({ file, signature: readFileSignature(file) }));

function prepared() {
  const config = join(base, 'config.json');
  const absent = join(base, 'absent.json');
  writeFileSync(config, '{}');
  const place = {
    folder: join(base, 'lists'),
    conditions: { client: ['test', '1'] },
    env: { TOKEN: 'secret-1', X: '1' },
  };
  writeListSnapshot(place, {
    result: RESULT,
    instructions: 'Read me',
    capabilities: { tasks: {} },
    files: stamp(config, absent),
    variables: ['TOKEN', 'UNSET'],
  });
  const [name = ''] = readdirSync(place.folder);
  return { config, absent, place, file: join(place.folder, name) };
}

test('returns the snapshot as long as nothing has changed', () => {
  const { place, file } = prepared();
  expect(readListSnapshot(place)).toEqual(ANSWERS);
  expect(readListSnapshot({ ...place, env: { ...place.env, X: 'another' } })).toEqual(ANSWERS);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(place.folder).mode & 0o777).toBe(0o700);
  expect(readFileSync(file, 'utf8')).not.toContain('secret-1');
});

test('returns nothing for another client, another file or another value', () => {
  const { place, config, absent } = prepared();
  expect(readListSnapshot({ ...place, conditions: { client: ['test', '2'] } })).toBeUndefined();
  expect(readListSnapshot({ ...place, env: { TOKEN: 'secret-2' } })).toBeUndefined();
  expect(readListSnapshot({ ...place, env: { ...place.env, UNSET: '' } })).toBeUndefined();
  writeFileSync(absent, '');
  expect(readListSnapshot(place)).toBeUndefined();
  rmSync(absent);
  expect(readListSnapshot(place)).toEqual(ANSWERS);
  writeFileSync(config, '[]');
  expect(readListSnapshot(place)).toBeUndefined();
});

test.each([
  ['truncated', (bytes: Buffer) => bytes.subarray(0, -1)],
  [
    'corrupted by one bit',
    (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === bytes.length - 5 ? byte ^ 1 : byte))),
  ],
  ['empty', () => Buffer.alloc(0)],
  ['in another format', () => Buffer.from('{"tools":[]}')],
  [
    'of another version',
    (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('list 3', 'list 2'), 'latin1'),
  ],
])('ignores a file that is %s, and replaces it', (_, damage) => {
  const { place, file, config } = prepared();
  writeFileSync(file, damage(readFileSync(file)));
  expect(readListSnapshot(place)).toBeUndefined();
  writeListSnapshot(place, {
    result: '{"tools":[]}',
    instructions: '',
    capabilities: {},
    files: stamp(config),
    variables: [],
  });
  expect(readListSnapshot(place)).toEqual({ result: '{"tools":[]}', instructions: '', capabilities: {} });
});

test('ignores a folder that others can write to, and a symlink in place of the file', () => {
  const { place, file } = prepared();
  chmodSync(place.folder, 0o777);
  expect(readListSnapshot(place)).toBeUndefined();
  chmodSync(place.folder, 0o700);
  const elsewhere = join(base, 'elsewhere');
  writeFileSync(elsewhere, readFileSync(file));
  rmSync(file);
  symlinkSync(elsewhere, file);
  expect(readListSnapshot(place)).toBeUndefined();
});

test('ignores a folder that is not writable', () => {
  writeFileSync(join(base, 'lists'), 'a file');
  const place = { folder: join(base, 'lists'), conditions: {}, env: {} };
  writeListSnapshot(place, { result: RESULT, instructions: 'Read me', capabilities: {}, files: [], variables: [] });
  expect(readListSnapshot(place)).toBeUndefined();
});
