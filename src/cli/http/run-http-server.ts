import { type HttpOptions, type HttpPlan, planHttp } from '../../serve/access/address/plan-http.ts';
import { exitSoon } from '../exit-soon.ts';

/** Runs a command with `--http` until `serve` returns. Whatever is still open then does not keep the process alive. */
export async function runHttpServer(options: HttpOptions, serve: (plan: HttpPlan) => Promise<void>): Promise<void> {
  const plan = planHttp(options);
  try {
    await serve(plan);
  } finally {
    exitSoon();
  }
}
