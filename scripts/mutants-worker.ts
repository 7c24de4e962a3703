import { serveTasks } from '../contract/mutants/workers.ts';
import { ownTargets } from './own-target.ts';

serveTasks(ownTargets());
