import bundled from '../../generated/openapi.json' with { type: 'json' };
import { documentOf } from './index.ts';

export const ownDocument = documentOf(bundled);
