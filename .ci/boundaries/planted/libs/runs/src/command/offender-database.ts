import '#postgres';
