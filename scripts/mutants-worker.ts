import { serveTasks } from '../contract/mutants/worker.ts';
import { startOwnTarget } from './own-target.ts';

serveTasks(startOwnTarget);
