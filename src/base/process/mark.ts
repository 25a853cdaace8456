/**
 * The environment variable that identifies a process as ours, even outside our process tree.
 * Its value is a chain of `<run>/<n>/`, outermost first. The last slash keeps `…/1/` from matching in `…/12/`.
 */
export const MARK_VARIABLE = 'SWITCHBOARD_MARK';

/** The name of the guard in the list of processes. The run that it guards follows as its argument. */
export const GUARD_NAME = 'switchboard-guard';
