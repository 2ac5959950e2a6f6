echo 'Press any key to continue...'; read -n 1 -s -r; echo; echo going on
