/** One line of a diff: kept, removed or added. */
interface DiffLine {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
  /** Line numbers in the old and the new text, before this line. */
  readonly before: number;
  readonly after: number;
}

const CONTEXT_LINES = 3;

/** Returns the hunks of a unified diff as lines, without the header that names the files; empty for equal texts. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const lines = diffLines(splitLines(before), splitLines(after));
  const changed = lines.flatMap(({ mark }, index) => (mark === ' ' ? [] : [index]));
  const hunks: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = hunks.at(-1);
    if (last !== undefined && index - last.to <= 2 * CONTEXT_LINES) last.to = index;
    else hunks.push({ from: index, to: index });
  }
  return hunks.flatMap(({ from, to }) =>
    formatHunk(lines.slice(Math.max(0, from - CONTEXT_LINES), to + CONTEXT_LINES + 1)),
  );
}

function splitLines(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : [...lines.slice(0, -1), `${lines.at(-1)}${NO_LINE_BREAK}`];
}

const NO_LINE_BREAK = '\n\\ No newline at end of file';

function formatHunk(lines: readonly DiffLine[]): readonly string[] {
  const [first] = lines;
  const count = (mark: DiffLine['mark']) => lines.filter((line) => line.mark !== mark).length;
  const range = (start: number, length: number) =>
    `${length === 0 ? start : start + 1}${length === 1 ? '' : `,${length}`}`;
  const head = `@@ -${range(first?.before ?? 0, count('+'))} +${range(first?.after ?? 0, count('-'))} @@`;
  return [head, ...lines.flatMap(({ mark, text }) => `${mark}${text.replaceAll('\r', '')}`.split('\n'))];
}

/** Finds the shortest edit script as E. W. Myers describes it, which is fast for few changes. */
function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let x = before.length;
  let y = after.length;
  const push = (mark: DiffLine['mark'], text: string | undefined) =>
    void lines.push({ mark, text: text ?? '', before: x, after: y });
  for (const reached of searchPath(before, after).toReversed()) {
    const diagonal = x - y;
    const isAdded = reached.depth > 0 && isDown(reached.ends, { diagonal, depth: reached.depth });
    const previous = isAdded ? diagonal + 1 : diagonal - 1;
    const startX = reached.depth === 0 ? 0 : (reached.ends.get(previous) ?? 0);
    const startY = reached.depth === 0 ? 0 : startX - previous;
    while (x > startX && y > startY) {
      x--;
      y--;
      push(' ', before[x]);
    }
    if (reached.depth === 0) break;
    if (isAdded) push('+', after[--y]);
    else push('-', before[--x]);
  }
  return lines.reverse();
}

/** How far the paths of one depth came: the column for each diagonal. */
interface Reached {
  readonly depth: number;
  /** Of the depth before. */
  readonly ends: ReadonlyMap<number, number>;
}

function searchPath(before: readonly string[], after: readonly string[]): readonly Reached[] {
  const trace: Reached[] = [];
  let ends = new Map([[1, 0]]);
  for (let depth = 0; depth <= before.length + after.length; depth++) {
    trace.push({ depth, ends });
    const next = new Map(ends);
    for (let diagonal = -depth; diagonal <= depth; diagonal += 2) {
      let x = isDown(ends, { diagonal, depth }) ? (ends.get(diagonal + 1) ?? 0) : (ends.get(diagonal - 1) ?? 0) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return trace;
    }
    ends = next;
  }
  return trace;
}

/** Whether the best path to a diagonal comes from the one above it: by an added line. */
function isDown(ends: ReadonlyMap<number, number>, { diagonal, depth }: { diagonal: number; depth: number }): boolean {
  if (diagonal === -depth) return true;
  return diagonal !== depth && (ends.get(diagonal - 1) ?? -1) < (ends.get(diagonal + 1) ?? -1);
}
