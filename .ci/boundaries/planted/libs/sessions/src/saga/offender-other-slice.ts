import '#runs/domain';
