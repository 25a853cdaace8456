import type { ProfileName } from '../../schema/profiles/profile.ts';
import { PROFILES } from '../../schema/profiles/registry.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { AggregateCatalog, type AggregateCatalogOptions } from './aggregate-catalog.ts';

/** What all servers offer together, once for each profile that a client has: kept as it goes out. */
export interface ProfileCatalogs {
  forProfile(profile: ProfileName): AggregateCatalog;
  /** A server's list is no longer what it was. */
  listChanged(server: GatewayServer, kind: ListKind): void;
  /** Servers came or went, or what the config says of them has changed. */
  serversChanged(): void;
}

export function createProfileCatalogs(options: Omit<AggregateCatalogOptions, 'profile'>): ProfileCatalogs {
  const catalogs = new Map<ProfileName, AggregateCatalog>();
  return {
    forProfile(name) {
      const known = catalogs.get(name);
      if (known !== undefined) return known;
      const catalog = new AggregateCatalog({ ...options, profile: PROFILES[name] });
      catalogs.set(name, catalog);
      return catalog;
    },
    listChanged(server, kind) {
      for (const catalog of catalogs.values()) catalog.listChanged(server, kind);
    },
    serversChanged() {
      for (const catalog of catalogs.values()) catalog.serversChanged();
    },
  };
}
