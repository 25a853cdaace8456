import { codexHttp } from './requirements/codex-http.ts';
import { eras } from './requirements/eras.ts';
import { extensions } from './requirements/extensions.ts';
import { firstUse } from './requirements/first-use.ts';
import { gatewayHttp } from './requirements/gateway-http.ts';
import { httpFront } from './requirements/http-front.ts';
import { kitFeatures } from './requirements/kit-features.ts';
import { manyClients } from './requirements/many-clients.ts';
import { seed000 } from './requirements/seed-000.ts';
import { seed001 } from './requirements/seed-001.ts';
import { seed002 } from './requirements/seed-002.ts';
import { seed003 } from './requirements/seed-003.ts';
import { seed004 } from './requirements/seed-004.ts';
import { tokens } from './requirements/tokens.ts';
import { views } from './requirements/views.ts';

/**
 * The promises of the product: every testable clause of the five seed documents, as revised by the design, and of what
 * was added since.
 */
export const requirements: readonly Requirement[] = [
  ...seed000.map((clause) => ({ ...clause, seed: '000' as const })),
  ...seed001.map((clause) => ({ ...clause, seed: '001' as const })),
  ...seed002.map((clause) => ({ ...clause, seed: '002' as const })),
  ...seed003.map((clause) => ({ ...clause, seed: '003' as const })),
  ...seed004.map((clause) => ({ ...clause, seed: '004' as const })),
  ...extensions,
  ...firstUse,
  ...httpFront,
  ...gatewayHttp,
  ...codexHttp,
  ...tokens,
  ...views,
  ...manyClients,
  ...kitFeatures,
  ...eras,
];

export interface Requirement extends Clause {
  /** The document that the clause comes from. */
  readonly seed?: '000' | '001' | '002' | '003' | '004';
}

export interface Clause {
  /** `area:topic:detail`, stable: tests cite it. */
  readonly id: string;
  /** One sentence that a test can prove. */
  readonly clause: string;
  /** `done` if and only if a test cites it with `verifies`. */
  readonly state: 'planned' | 'done';
  /** The design decision that changed this clause of the seed. */
  readonly ruling?: number;
}
