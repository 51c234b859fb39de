import '#kernel';
