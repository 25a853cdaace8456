import { readdir, readFile, readlink } from 'node:fs/promises';

/** Returns the process that listens on a TCP port, as text. Undefined if the system does not tell. Linux only. */
export async function describePortOwner(port: number): Promise<string | undefined> {
  try {
    const inodes = await listeningInodes(port);
    if (inodes.size === 0) return undefined;
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid) || !(await ownsSocket(pid, inodes))) continue;
      const name = (await readFile(`/proc/${pid}/comm`, 'utf8')).trim();
      return `${name} (process ${pid})`;
    }
  } catch {
    // No /proc, or the process has just exited. The caller then reports the port alone.
  }
  return undefined;
}

async function listeningInodes(port: number): Promise<ReadonlySet<string>> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  return new Set(tables.flatMap((table) => findListeningInodes(table, port)));
}

/** Finds the sockets that listen on a port in the text of `/proc/net/tcp`. */
export function findListeningInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [, local = '', , state] = fields;
    const inode = fields[INODE_FIELD];
    return local.endsWith(suffix) && state === LISTENING && inode !== undefined ? [inode] : [];
  });
}

const LISTENING = '0A';
const INODE_FIELD = 9;

async function ownsSocket(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  // The files of processes of other users cannot be listed.
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  for (const file of files) {
    const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '');
    const [, inode] = /^socket:\[(\d+)\]$/.exec(target) ?? [];
    if (inode !== undefined && inodes.has(inode)) return true;
  }
  return false;
}
