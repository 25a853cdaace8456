// @ts-check
/** @typedef {import('./targets/targets.mjs').Target} Target */

/**
 * Reads the command line: revisions and targets, in any order; `gateway` stands for every target `gateway:…`. Without
 * arguments, everything is selected. Throws if an argument names nothing.
 * @param {readonly string[]} args @param {readonly string[]} revisions @param {readonly Target[]} targets
 */
export function select(args, revisions, targets) {
  const isNamed =
    (/** @type {string} */ arg) =>
    (/** @type {Target} */ { name }) =>
      name === arg || name.startsWith(`${arg}:`);
  const unknown = args.find((arg) => !revisions.includes(arg) && !targets.some(isNamed(arg)));
  if (unknown !== undefined) {
    const names = [...revisions, ...targets.map(({ name }) => name)];
    throw new Error(`${unknown} is neither a revision nor a target. Choose from: ${names.join(' ')}`);
  }
  const chosenRevisions = revisions.filter((revision) => args.includes(revision));
  const chosenTargets = targets.filter((target) => args.some((arg) => isNamed(arg)(target)));
  return {
    revisions: chosenRevisions.length > 0 ? chosenRevisions : revisions,
    targets: chosenTargets.length > 0 ? chosenTargets : targets,
  };
}
