import { readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, resolve } from 'node:path';

/** The maximum number of links that Linux follows. */
const MAX_LINKS = 40;

/**
 * Returns every link on the path to a file, and the file itself last: replacing any of them changes which file the path
 * leads to. A broken link ends at the path that its target would have.
 */
export function traceLinks(path: string): readonly string[] {
  const full = resolve(path);
  const links: string[] = [];
  let at = parse(full).root;
  let rest = namesOf(full);
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = name === '..' ? dirname(at) : join(at, name);
    const target = links.length < MAX_LINKS ? targetOf(next) : undefined;
    if (target !== undefined) {
      links.push(next);
      rest = [...namesOf(target), ...rest];
    }
    at = target === undefined ? next : isAbsolute(target) ? parse(target).root : at;
  }
  return [...links, at];
}

function namesOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(process.platform === 'win32' ? /[/\\]/ : '/')
    .filter((name) => name !== '' && name !== '.');
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // The path is not a link, or does not exist.
    return undefined;
  }
}
