import '#runs/contract';
