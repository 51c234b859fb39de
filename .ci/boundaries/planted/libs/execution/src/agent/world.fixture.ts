import { decide } from '#runs/domain';

export const world = decide;
