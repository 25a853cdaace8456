// @ts-check
import { captureScreen } from './capture.mjs';
import { openHome } from './home.mjs';
import { createSettler } from './settle.mjs';

/**
 * A home, the folder in which the user works, and the commands that the user types there in turn.
 *
 * @typedef {{
 *   readonly project: string,
 *   prepare(home: import('./home.mjs').Home): Promise<void>,
 *   readonly screens: readonly import('./capture.mjs').Screen[],
 * }} Scene
 */

/**
 * Prepares the home of a scene, runs its commands, and removes everything again.
 *
 * @param {Scene} scene @param {string} main
 * @param {(screen: import('./capture.mjs').Screen, lines: Awaited<ReturnType<typeof captureScreen>>) => void} show
 */
export async function captureScene({ project, prepare, screens }, main, show) {
  const home = openHome({ main, project });
  try {
    await prepare(home);
    const settle = createSettler(home);
    for (const screen of screens) show(screen, await captureScreen(screen, home, settle));
  } finally {
    await home.close();
  }
}
